import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { BRAND_LAYER, LAYER_ORDER } from '../../../../../embed/src/layers.ts'
import { integrity } from '../../../../../embed/src/stylesheet.ts'
import { printCss } from './print-css.ts'
import { cssProblems, parseCss } from './read-css.ts'

const printed = (css: string): string => printCss(parseCss(css))

/** The content of the layer's block. */
function inLayer(css: string): string {
  const text = printed(css)
  const [head, tail] = [`${LAYER_ORDER}\n@layer ${BRAND_LAYER}{\n`, '}\n']
  expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
  return text.slice(head.length, -tail.length)
}

const selectorsOf = (css: string): string => inLayer(`${css}{color:red}`).replace('{color:red}\n', '')

/** The custom properties that a declaration sets. */
function settingsOf(declaration: string): Record<string, string> {
  const body = /\{(.*)\}/.exec(inLayer(`.a{${declaration}}`))?.[1] ?? ''
  const pairs = body.split(';').map((part) => part.split(/:(.*)/s).slice(0, 2) as [string, string])
  return Object.fromEntries(
    pairs.filter(([name]) => name.startsWith('--tossup-')).map(([name, value]) => [name.slice(9), value]),
  )
}

const sides = (kind: string, [top, right, bottom, left]: string[], end = ''): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ top, right, bottom, left })
      .filter(([, value]) => value)
      .map(([side, value]) => [`${kind}-${side}${end}`, value ?? '']),
  )

describe('what is served', () => {
  test.each([
    ['.option', '.tossup .option'],
    ['.option:hover, p + p, .a ~ .b', '.tossup .option:hover,.tossup p+p,.tossup .a~.b'],
    ['*', '.tossup *'],
    ['::selection', '.tossup ::selection'],
    [':not(.a .b)', '.tossup :not(.a .b)'],
    ['body', '.tossup .poll'],
    [':ROOT', '.tossup .poll'],
    [':host', '.tossup .poll'],
    ['html body', '.tossup .poll'],
    ['html body .option', '.tossup .option'],
    ['.tossup', '.tossup .poll'],
    ['body .tossup', '.tossup .poll'],
    ['.tossup .option', '.tossup .option'],
    ['article.tossup[data-state~="voted"]', 'article.tossup[data-state~="voted"] .poll'],
    ['.tossup[data-label="overlay"] .label', '.tossup[data-label="overlay"] .label'],
    ['.poll .tossup ~ .x', '.tossup .poll .tossup~.x'],
    [':is(.tossup) ~ .x', '.tossup :is(.tossup)~.x'],
  ])('%s matches nothing outside of a poll: %s', (selector, scoped) => {
    expect(selectorsOf(selector)).toBe(scoped)
  })

  test('keeps its at-rules, its order and its importance, and drops what is not CSS', () => {
    const css = `/* head */ .a { color: red; ; /* in */ color: blue !important }
      @media print and (min-width: 1px) { .b { order: inherit } @supports (display: grid) { body { color: red } } }
      @KEYFRAMES fade { from, 50% { opacity: 0; padding: 1px } }`
    expect(inLayer(css)).toBe(
      [
        '.tossup .a{color:red;color:blue!important}',
        '@media print and (min-width:1px){',
        '.tossup .b{order:inherit}',
        '@supports (display:grid){',
        '.tossup .poll{color:red}',
        '}',
        '}',
        '@keyframes fade{',
        'from,50%{opacity:0;padding:1px}',
        '}',
        '',
      ].join('\n'),
    )
  })
})

describe('a measure is written again under our own name', () => {
  test.each<[string, Record<string, string>]>([
    ['color:red', {}],
    ['padding:1px', sides('padding', ['1px', '1px', '1px', '1px'])],
    ['padding:1px 2px', sides('padding', ['1px', '2px', '1px', '2px'])],
    ['padding:1px 2px 3px', sides('padding', ['1px', '2px', '3px', '2px'])],
    ['padding:0 2px 3px 4%', sides('padding', ['0px', '2px', '3px', '4%'])],
    ['padding:1px 2px 3px 4px 5px', {}],
    ['PADDING-LEFT:var(--x)', { 'padding-left': 'var(--x)' }],
    ['padding-inline:1px 2px', { 'padding-left': '1px', 'padding-right': '2px' }],
    ['padding-block:1px', { 'padding-top': '1px', 'padding-bottom': '1px' }],
    ['padding-inline-end:1px', { 'padding-right': '1px' }],
    ['margin:8px auto', sides('margin', ['8px', '0px', '8px', '0px'])],
    ['margin-block-start:1px', { 'margin-top': '1px' }],
    ['border:2px solid red', sides('border', ['2px', '2px', '2px', '2px'], '-width')],
    ['border:solid red', sides('border', ['3px', '3px', '3px', '3px'], '-width')],
    ['border:0', sides('border', ['0px', '0px', '0px', '0px'], '-width')],
    ['border:none', sides('border', ['0px', '0px', '0px', '0px'], '-width')],
    ['border:thin dashed var(--c)', sides('border', ['1px', '1px', '1px', '1px'], '-width')],
    ['border:var(--w) solid red', sides('border', ['var(--w)', 'var(--w)', 'var(--w)', 'var(--w)'], '-width')],
    ['border:solid var(--c)', sides('border', ['3px', '3px', '3px', '3px'], '-width')],
    ['border-left:calc(1px + 1px) solid', { 'border-left-width': 'calc(1px + 1px)' }],
    ['border-width:thick 1px', sides('border', ['5px', '1px', '5px', '1px'], '-width')],
    ['border-bottom-width:1px', { 'border-bottom-width': '1px' }],
    ['border-inline:1px solid', { 'border-left-width': '1px', 'border-right-width': '1px' }],
    ['border-block-end-width:1px', { 'border-bottom-width': '1px' }],
    ['border-color:red', {}],
    ['border-radius:1px', {}],
    ['border-collapse:collapse', {}],
    ['gap:1px 2px', { 'row-gap': '1px', 'column-gap': '2px' }],
    ['gap:0', { 'row-gap': '0px', 'column-gap': '0px' }],
    ['row-gap:normal', { 'row-gap': '0px' }],
    ['letter-spacing:.1em', { 'letter-spacing': '.1em' }],
    ['letter-spacing:normal', { 'letter-spacing': '0px' }],
    ['opacity:90%', { opacity: '0.9' }],
    ['opacity:.5', { opacity: '.5' }],
    ['height:80px', { 'min-height': '80px' }],
    ['min-height:auto', { 'min-height': '0px' }],
    ['max-width:none', { 'max-width': '100%' }],
    ['width:min-content', {}],
    ['translate:1px', { 'translate-x': '1px', 'translate-y': '0px' }],
    ['translate:0 -4px', { 'translate-x': '0px', 'translate-y': '-4px' }],
    ['scale:1.1', { scale: '1.1' }],
    ['scale:110%', { scale: '1.1' }],
    ['rotate:2deg', { rotate: '2deg' }],
    ['transform:none', { 'translate-x': '0px', 'translate-y': '0px', scale: '1', rotate: '0deg' }],
    [
      'transform:translateY(-2px) scale(1.02)',
      { 'translate-x': '0px', 'translate-y': '-2px', scale: '1.02', rotate: '0deg' },
    ],
    [
      'transform:translate(1px,2px) rotate(-1deg)',
      { 'translate-x': '1px', 'translate-y': '2px', scale: '1', rotate: '-1deg' },
    ],
    ['transform:skew(3deg) translateX(0)', { 'translate-x': '0px', 'translate-y': '0px', scale: '1', rotate: '0deg' }],
    ['filter:brightness(110%) grayscale(1)', { brightness: '1.1' }],
    ['filter:none', { brightness: '1' }],
    ['flex-direction:column', { 'choice-width': '100%' }],
    ['flex-flow:row wrap', { 'choice-width': '7rem' }],
    ['grid-template-columns:1fr', { 'choice-width': '100%' }],
    ['grid-template-columns:none', { 'choice-width': '100%' }],
    ['grid-template-columns:[a] 1fr [b] 1fr', { 'choice-width': '7rem' }],
    ['grid-template-columns:repeat(2,1fr)', { 'choice-width': '7rem' }],
    ['grid-template-columns:repeat(1,1fr)', { 'choice-width': '100%' }],
  ])('%s', (declaration, settings) => expect(settingsOf(declaration)).toEqual(settings))

  test('with its !important', () => {
    expect(inLayer('.a{opacity:.9!important}')).toBe('.tossup .a{opacity:.9!important;--tossup-opacity:.9!important}\n')
  })

  test('and each such name is read and clamped by the rules that keep a poll honest', () => {
    const base = readFileSync(new URL('../../../../../embed/src/styles/base.css', import.meta.url), 'utf8')
    const css = `.a{padding:1px;margin:1px;border:1px solid;gap:1px;letter-spacing:1px;opacity:1;min-height:1px;width:1px;
      transform:none;filter:none;flex-direction:row}`
    const names = [...inLayer(css).matchAll(/--tossup-[a-z-]+/g)].map(([name]) => name)
    expect(names).toHaveLength(24)
    for (const name of names) {
      expect([name, new RegExp(`(clamp|min|max)\\([^;]*var\\(${name}\\)`).test(integrity)]).toEqual([name, true])
      // The base style resets each property, or the poll would inherit it from the page around it.
      expect([name, base.includes(`${name}: `)]).toEqual([name, true])
    }
  })
})

describe('every accepted stylesheet', () => {
  const folder = new URL('../../../../test/stylesheets/', import.meta.url)
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const pieces = texts
    .flatMap((text) => text.split(/(?<=[{};,()\s])/))
    .concat('body', '.tossup', '+', '~', ':not(', '&', '"', '@media print{')

  /** Cuts pieces out of ordinary text and inserts others. */
  const spoiled = fc
    .tuple(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(4_000), fc.nat(40), fc.constantFrom(...pieces)), { maxLength: 3 }),
    )
    .map(([text, cuts]) =>
      cuts.reduce((all, [at, length, piece]) => all.slice(0, at) + piece + all.slice(at + length), text),
    )

  function expectWithinThePoll(text: string): void {
    for (const [, list = ''] of text.matchAll(/^(?!@|from|to|[\d.]+%)([^{}]+)\{/gm)) {
      for (const selector of list.split(/,(?![^(]*\))/)) {
        expect(selector).toMatch(/^([a-z]+)?\.tossup(\[[^\]]*\]|[^~+\s])* /)
      }
    }
  }

  /** An extra bracket would close the layer around the text. */
  function expectClosed(text: string): void {
    let depth = 0
    for (const [bracket] of text.matchAll(/[{}]/g)) {
      depth += bracket === '{' ? 1 : -1
      expect(depth).toBeGreaterThanOrEqual(0)
    }
    expect(depth).toBe(0)
  }

  test('stays in its layer and within the poll, and is accepted again', () => {
    let taken = 0
    fc.assert(
      fc.property(spoiled, (css) => {
        if (cssProblems(css).length > 0) return
        taken++
        const text = inLayer(css)
        // A bracket in a string, such as the name of a font, opens and closes nothing. No string has a backslash.
        const withoutStrings = text.replace(/"[^"]*"/g, '""')
        expectWithinThePoll(withoutStrings)
        expectClosed(withoutStrings)
        expect(text).not.toMatch(/[<>\\]|url\(|@(?!media|supports|container|keyframes)/i)
        const withoutOurs = text.replace(/;?--tossup-[a-z-]+:[^;}]*/g, '')
        expect(cssProblems(withoutOurs).filter(({ rule }) => rule !== 'css_size')).toEqual([])
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(50)
  })
})
