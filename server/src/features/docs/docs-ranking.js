// Loaded by the search of the docs at its first use: which sections answer a query, best first.

/** Words of questions, which say nothing about the subject. */
const IGNORED = new Set(
  'a an and any are as at be by can change could do does for from get has have how i if in into is it its just like me my need not of on one or our own put should so some that the their them then there they this to up use using want was we what when where which who why will with without would you your'.split(
    ' ',
  ),
)

/** What newcomers call things, and what the docs call them. */
const ALSO = {
  ban: ['limit'],
  bot: ['integrity', 'challenge', 'false'],
  cheat: ['integrity', 'false', 'repeated'],
  colour: ['theme', 'accent'],
  color: ['theme', 'accent'],
  csv: ['export', 'download'],
  ddos: ['limit', 'attack'],
  deploy: ['run', 'install'],
  domain: ['origin'],
  download: ['export'],
  duplicate: ['repeated', 'twice', 'idempotency'],
  embed: ['embedding', 'frame'],
  erase: ['forget', 'delete'],
  export: ['csv', 'download'],
  gdpr: ['privacy', 'forget'],
  handle: ['scale'],
  html: ['embedding'],
  iframe: ['frame'],
  image: ['picture'],
  install: ['run'],
  invite: ['people', 'invitation'],
  language: ['lang'],
  login: ['sign', 'session'],
  logo: ['theme'],
  member: ['people'],
  monitor: ['watching'],
  password: ['sign', 'passkey'],
  photo: ['picture'],
  qr: ['share'],
  realtime: ['live', 'stream'],
  result: ['tally', 'count'],
  retry: ['idempotency'],
  sso: ['openid'],
  style: ['theming', 'theme'],
  team: ['people', 'member'],
  throttle: ['limit'],
  translate: ['language', 'lang'],
  update: ['upgrade'],
  website: ['embedding', 'page'],
  widget: ['embedding', 'element'],
}

/** Places where a subject is explained come before places that list or tell. */
const WEIGHT_OF_PAGE = [
  [/^\/docs\/(?:changes|results)\b/, 0.25],
  [/^\/docs\/api\b/, 0.4],
]

const HEADING = 6
const PAGE = 4
const TEXT = 1
const SYNONYM = 0.6
const BEGINNING = 0.7
const INSIDE = 0.15
const WHOLE_PAGE = 1.25

const tokensOf = (text) => text.toLowerCase().match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** "votes", "voted" and "voting" are one word here; so are "policy" and "policies". */
function stemOf(token) {
  const short = token
    .replace(/(?:ing|ed|es|s)$/, '')
    .replace(/(?:y|ie?|e)$/, '')
    .replace(/([^aeiou])\1$/, '$1')
  return short.length >= 3 ? short : token
}

const countStems = (text) => {
  const counts = new Map()
  for (const token of tokensOf(text)) {
    const stem = stemOf(token)
    counts.set(stem, (counts.get(stem) ?? 0) + 1)
  }
  return counts
}

/** Prepares the rows of the index once. */
export function readRows(list) {
  const rows = list.map(([address, page, heading, words]) => {
    const [, weight = 1] = WEIGHT_OF_PAGE.find(([pattern]) => pattern.test(address)) ?? []
    const name = address.split(/[/#]/)[2] ?? ''
    return {
      ...{ address, page, heading, words, weight },
      counts: countStems(words),
      inHeading: countStems(heading),
      inPage: countStems(`${page} ${name}`),
      isPage: !address.includes('#'),
    }
  })
  const stems = rows.flatMap(({ counts, inHeading, inPage }) => [
    ...counts.keys(),
    ...inHeading.keys(),
    ...inPage.keys(),
  ])
  return { rows, vocabulary: [...new Set(stems)] }
}

/** What a term stands for: a word, words that it begins while it is typed, and words that contain it. */
function matchesOf(vocabulary, token) {
  const stem = stemOf(token)
  return vocabulary.flatMap((each) => {
    if (each === stem) return [[each, 1]]
    if (each.startsWith(token) || (stem.length > 3 && each.startsWith(stem))) return [[each, BEGINNING]]
    return token.length > 3 && each.includes(token) ? [[each, INSIDE]] : []
  })
}

const countIn = (counts, matches) => matches.reduce((sum, [stem, weight]) => sum + weight * (counts.get(stem) ?? 0), 0)

/** More of the same word counts less and less. */
const rising = (matches) => Math.log2(1 + matches)

function scoreOf(row, matches) {
  const heading = Math.min(1, countIn(row.inHeading, matches))
  const page = Math.min(1, countIn(row.inPage, matches))
  return HEADING * heading + PAGE * page + TEXT * rising(countIn(row.counts, matches))
}

const synonyms = new Map(Object.entries(ALSO).map(([word, others]) => [stemOf(word), others]))

/** The words of a query that tell what it is about, each with what the docs call it. */
function termsOf(query) {
  const tokens = tokensOf(query)
  const telling = tokens.filter((token) => !IGNORED.has(token))
  return (telling.length > 0 ? telling : tokens).map((token) => [token, ...(synonyms.get(stemOf(token)) ?? [])])
}

/** The rows that answer a query, best first: rare words count more than common ones, and rows with all words most. */
export function rank({ rows, vocabulary }, query) {
  const scores = termsOf(query).map((tokens) => {
    const variants = tokens.map((token, at) => ({
      matches: matchesOf(vocabulary, token),
      weight: at === 0 ? 1 : SYNONYM,
    }))
    const ofRows = rows.map((row) => Math.max(...variants.map(({ matches, weight }) => weight * scoreOf(row, matches))))
    const found = ofRows.filter((score) => score > 0).length
    return { ofRows, rarity: Math.log2(1 + rows.length / (1 + found)) }
  })
  const ranked = rows.map((row, at) => {
    const found = scores.filter(({ ofRows }) => ofRows[at] > 0)
    const sum = found.reduce((total, { ofRows, rarity }) => total + ofRows[at] * rarity, 0)
    return { row, score: sum * (found.length / scores.length) * row.weight * (row.isPage ? WHOLE_PAGE : 1) }
  })
  return ranked
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ row }) => row)
}

/** The first place in the words of a row that belongs to the query: [start, end]; null if the words have none. */
export function placeIn(row, query) {
  for (const term of termsOf(query).flat()) {
    const stem = stemOf(term)
    for (const { 0: token, index } of row.words.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      const lower = token.toLowerCase()
      if (stemOf(lower) === stem || lower.startsWith(term)) return [index, index + token.length]
    }
  }
  return null
}
