import { describe, expect, test } from 'bun:test'
import { countedTo } from './counted-to.ts'
import { sharesIn } from './results.ts'
import { LANGS, type Lang } from './words.ts'

type Pair = readonly [number, number]

/** The claim of a text, in tenths of a percent. */
interface Claim {
  readonly bound: string
  readonly tenths: number
  readonly decimals: number
}

const COMMA: readonly Lang[] = ['de', 'fr', 'es', 'pt', 'uk']
const SPACE: readonly Lang[] = ['de', 'fr', 'es']

/** Reads a text as a visitor does, who sees no mark of direction; null where the form is not that of the language. */
function readClaim(text: string, lang: Lang): Claim | null {
  const seen = text.replaceAll('\u200e', '')
  const [, bound = '', whole, point, decimal = '', space] =
    /^([<>]?)(\d{1,3})(?:([.,])(\d))?(\u00a0?)%$/.exec(seen) ?? []
  const isInForm = point === undefined || (point === ',') === COMMA.includes(lang)
  if (whole === undefined || !isInForm || (space !== '') !== SPACE.includes(lang)) return null
  return { bound, tenths: Number(whole + (decimal || '0')), decimals: decimal.length }
}

const claims = new Map<string, Claim | null>()

function claimOf(text: string, lang: Lang): Claim | null {
  const key = lang + text
  const claim = claims.get(key) ?? readClaim(text, lang)
  claims.set(key, claim)
  return claim
}

/** `<` and `>` are strict; a number may be off by half of its last digit. */
function isTrue({ bound, tenths, decimals }: Claim, votes: number, total: number): boolean {
  const [said, is] = [tenths * total, 1_000 * votes]
  if (bound === '') return 2 * Math.abs(said - is) <= total * (decimals === 1 ? 1 : 10)
  return bound === '<' ? is < said : is > said
}

const placeOf = ({ bound, tenths }: Claim): number => tenths + { '<': -0.5, '': 0, '>': 0.5 }[bound as '<' | '' | '>']

/** The faults of the texts for two counts of which the first is not the greater. */
function faultsOf([a, b]: Pair, lang: Lang): string[] {
  const { A, B } = sharesIn(lang, { optionA: a, optionB: b })
  const swapped = sharesIn(lang, { optionA: b, optionB: a })
  const [less, more] = [claimOf(A.text, lang), claimOf(B.text, lang)]
  const said = `${lang} ${a} to ${b}: ${A.text} and ${B.text}`
  if (!less || !more) return [`${said} have another form`]
  const total = a + b
  const isPlain = less.bound === '' && more.bound === ''
  const faults: Record<string, boolean> = {
    'deny votes': a > 0 && isPlain && (less.tenths === 0 || more.tenths === 1_000),
    'are false': !isTrue(less, a, total) || !isTrue(more, b, total),
    'contradict the order': a < b && placeOf(less) >= placeOf(more),
    'are equal where the counts are not, or differ where they are': (A.text === B.text) !== (a === b),
    'do not add up': isPlain && less.tenths + more.tenths !== 1_000,
    'are a bound and a number': less.bound !== '<' && !isPlain,
    'have another number of decimals': !areDecimalsRight(less, more, [a, b]),
    'depend on the side': swapped.A.text !== B.text || swapped.B.text !== A.text,
    'have bars of another length': !areBarsRight([A.length, B.length], [a, b]),
    'are not counted up to': countedTo(1, A.text) !== A.text || countedTo(1, B.text) !== B.text,
  }
  return Object.keys(faults).flatMap((fault) => (faults[fault] ? [`${said} ${fault}`] : []))
}

/** None in a tie, where one side has all votes, and on a bound of 50. */
function areDecimalsRight(less: Claim, more: Claim, [a, b]: Pair): boolean {
  const isTie = Math.round((100 * a) / (a + b)) === 50
  const isFine = a > 0 && a < b && less.tenths !== 500 && (a + b >= 1_000 || isTie)
  return less.decimals === more.decimals && less.decimals === (isFine ? 1 : 0)
}

/** Exact, but at least 1 where there are votes. */
const areBarsRight = ([less, more]: Pair, [a, b]: Pair): boolean =>
  less + more === 100 && (a === 0 ? less === 0 : less === Math.max(1, (100 * a) / (a + b)))

function faultsOfAll(pairs: Iterable<Pair>, lang: Lang): string[] {
  const faults: string[] = []
  for (const pair of pairs) if (faults.length < 10) faults.push(...faultsOf(pair, lang))
  return faults
}

function* pairsUpTo(most: number): Generator<Pair> {
  for (let total = 1; total <= most; total++) for (let a = 0; 2 * a <= total; a++) yield [a, total - a]
}

/** Pairs of every size up to a million million, and close to each edge: almost nothing, almost half, a tie. */
function* largePairs(): Generator<Pair> {
  for (let i = 0; i < 5_000; i++) {
    const b = Math.ceil(10 ** (12 * Math.random()))
    const few = Math.ceil(10 * Math.random())
    for (const a of [Math.ceil(b * Math.random()), few, b - few, Math.round(b * 0.0005) + few, b]) {
      if (a >= 0 && a <= b) yield [a, b]
    }
  }
}

describe('the shares of two sides', () => {
  test('deny no side its votes, contradict no order, claim no tie and add up, for all counts up to 2,000', () => {
    expect(faultsOfAll(pairsUpTo(2_000), 'en')).toEqual([])
  }, 300_000)

  test.each([...LANGS])('do so for large counts and in the form of each language: %s', (lang) => {
    expect(faultsOfAll(largePairs(), lang)).toEqual([])
    expect(faultsOfAll(pairsUpTo(150), lang)).toEqual([])
  })

  test.each<[Pair, string, string]>([
    [[0, 0], '0%', '0%'],
    [[1, 0], '100%', '0%'],
    [[5_000, 0], '100%', '0%'],
    [[700, 700], '50%', '50%'],
    [[7, 1], '87%', '13%'],
    [[199, 1], '99%', '1%'],
    [[996, 3], '>99%', '<1%'],
    [[996, 5], '99.5%', '0.5%'],
    [[750, 250], '75.0%', '25.0%'],
    [[99_999, 1], '>99.9%', '<0.1%'],
    [[151, 149], '50.3%', '49.7%'],
    [[502, 500], '50.1%', '49.9%'],
    [[500_001, 500_000], '>50%', '<50%'],
  ])('of %p are %s and %s', ([optionA, optionB], a, b) => {
    const { A, B } = sharesIn('en', { optionA, optionB })
    expect([A.text, B.text]).toEqual([a, b])
  })

  test('have a bound where the language has the sign of a number', () => {
    const told = (lang: string) => sharesIn(lang, { optionA: 99_999, optionB: 1 }).A.text
    expect(['de-AT', 'fr', 'pt', 'ar', 'xx'].map(told)).toEqual([
      '>99,9\u00a0%',
      '>99,9\u00a0%',
      '>99,9%',
      '\u200e>99.9\u200e%\u200e',
      '>99.9%',
    ])
  })
})

test('a number reaches its goal at the end alone', () => {
  expect([0.99, 0.999, 1].map((part) => countedTo(part, '50%'))).toEqual(['49%', '49%', '50%'])
})

test('a number is counted up in its own form, and an upper bound stands from the beginning', () => {
  const half = (text: string) => [0, 0.5, 1].map((part) => countedTo(part, text))
  expect(half('38%')).toEqual(['0%', '19%', '38%'])
  expect(half('49,9\u00a0%')).toEqual(['0,0\u00a0%', '24,9\u00a0%', '49,9\u00a0%'])
  expect(half('>99.9%')).toEqual(['>0.0%', '>49.9%', '>99.9%'])
  expect(half('<0.1%')).toEqual(['<0.1%', '<0.1%', '<0.1%'])
})
