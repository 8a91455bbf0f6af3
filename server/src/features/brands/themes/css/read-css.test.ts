import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { BRAND_LAYER, LAYER_ORDER } from '../../../../../../embed/src/theme/layers.ts'
import { PRINTED_BY } from '../stylesheet-url.ts'
import { readCss } from './read-css.ts'

/** Refused CSS, with the rule, line and column of each problem. */
const refused: readonly (readonly [css: string, ...problems: string[]])[] = [
  // The two characters of the specification
  ['.poll > .title { color: red }', 'css_angle_bracket 1:7'],
  ['/* a < b */ .poll { color: red }', 'css_angle_bracket 1:6'],
  ['.poll {\n  color: red;\n}\n</style>', 'css_angle_bracket 4:1', 'css_angle_bracket 4:8'],
  ['.poll { font-family: "<b>" }', 'css_angle_bracket 1:23', 'css_angle_bracket 1:25'],
  ['@media (width >= 400px) { .poll { color: red } }', 'css_angle_bracket 1:15'],
  ['<!-- .poll { color: red } -->', 'css_angle_bracket 1:1', 'css_angle_bracket 1:29'],

  // Syntax errors
  ['.poll { color: red', 'css_syntax 1:7'],
  ['.poll { color: red }}', 'css_syntax 1:21'],
  ['}', 'css_syntax 1:1'],
  ['.poll { color red }', 'css_syntax 1:15'],
  ['.poll { color: }', 'css_syntax 1:16'],
  ['.poll { : red }', 'css_syntax 1:9'],
  ['.poll\n{\n  color: "red;\n}', 'css_syntax 3:10'],
  ['.poll { color: "red', 'css_syntax 1:7', 'css_syntax 1:16'],
  ['.poll { color: red } /* and so on', 'css_syntax 1:22'],
  ['/*/', 'css_syntax 1:1'],
  ['.poll { width: calc(1px }', 'css_syntax 1:16'],
  ['.poll { color: red) }', 'css_syntax 1:19'],
  ['.poll [ { color: red } ( ]', 'css_syntax 1:24'],
  [';', 'css_syntax 1:1'],
  ['{ color: red }', 'css_syntax 1:1'],
  ['just words', 'css_syntax 1:11'],
  ['.poll, { color: red }', 'css_syntax 1:8'],
  ['.poll { color: red !nearly }', 'css_syntax 1:9'],
  ['@media { .poll { color: red } }', 'css_syntax 1:1'],
  ['@media print;', 'css_syntax 1:1'],
  ['@media (.a b: c) { .poll { color: red } }', 'css_syntax 1:9'],
  ['@keyframes { from { color: red } }', 'css_syntax 1:1'],
  ['@keyframes x { .poll { color: red } }', 'css_syntax 1:16'],
  ['@container style(--x: 1) { .poll { color: red } }', 'css_syntax 1:1'],
  ['@supports selector(:has(a)) { .poll { color: red } }', 'css_syntax 1:1'],

  // At-rules
  ['@import "https://evil.test/x.css";', 'css_at_rule 1:1'],
  ['.poll { color: red }\n@IMPORT url(x.css);', 'css_at_rule 2:1'],
  ['@font-face { font-family: Georgia; src: local("Wingdings") }', 'css_at_rule 1:1'],
  ['@charset "utf-7";', 'css_at_rule 1:1'],
  ['@layer tossup.integrity { .option { display: none } }', 'css_at_rule 1:1'],
  ['@layer tossup.brand, tossup.integrity;', 'css_at_rule 1:1'],
  ['@scope (html) { p { display: none } }', 'css_at_rule 1:1'],
  ['@property --x { syntax: "*"; inherits: false }', 'css_at_rule 1:1'],
  ['@starting-style { .option { opacity: 0 } }', 'css_at_rule 1:1'],
  ['@-webkit-keyframes x { from { color: red } }', 'css_at_rule 1:1'],
  ['@media print { @import "x"; }', 'css_at_rule 1:16'],
  ['.poll { @import "x"; }', 'css_nesting 1:9'],

  // Loading, drawing from elsewhere, or reading the page
  ['.poll { background: url(https://evil.test/x) }', 'css_value 1:21'],
  ['.poll {\n\tbackground:\n\t\tURL("x.png")\n}', 'css_value 3:3'],
  ['.poll { background: src("x.png") }', 'css_value 1:21'],
  ['.poll { background: image-set("x.png" 1x) }', 'css_value 1:21'],
  ['.poll { background: -webkit-cross-fade(red, blue, 50%) }', 'css_value 1:21'],
  ['.poll { background: element(#x) }', 'css_value 1:21'],
  ['.poll { width: attr(data-x px) }', 'css_value 1:16'],
  ['.poll { --x: url(https://evil.test/x) }', 'css_value 1:13'],
  ['.poll { --x: URL(x) }', 'css_value 1:13'],
  ['.poll { background: var(--none, url(x)) }', 'css_value 1:21'],
  ['.poll { color: light-dark(red, src("x")) }', 'css_value 1:16'],
  ['.poll { cursor: url(x.cur), auto }', 'css_value 1:17'],

  // Escapes and characters
  ['.poll { background: \\75rl(https://evil.test/x) }', 'css_escape 1:21'],
  ['@\\69mport "x";', 'css_escape 1:1'],
  ['.poll { color: red }\u0001', 'css_character 1:21'],
  ['\ufeff.poll { color: red }', 'css_character 1:1'],

  // Selectors
  ['* { color: red }', 'css_selector 1:1'],
  ['p { color: red }', 'css_selector 1:1'],
  ['#host { color: red }', 'css_selector 1:1'],
  ['.a { color: red }', 'css_selector 1:1'],
  ['.choice { color: red }', 'css_selector 1:1'],
  ['.words { color: red }', 'css_selector 1:1'],
  ['.poll:has(.option) { color: red }', 'css_selector 1:6'],
  ['.option:nth-child(2) { color: red }', 'css_selector 1:8'],
  ['.option:hover(.a) { color: red }', 'css_selector 1:8'],
  ['.poll:is() { color: red }', 'css_selector 1:6'],
  ['.poll:not { color: red }', 'css_selector 1:6'],
  ['.poll :not(.a) { color: red }', 'css_selector 1:12'],
  ['.poll :is(.title .brand) { color: red }', 'css_selector 1:11'],
  ['.poll :is(+ .title) { color: red }', 'css_selector 1:11'],
  [':host(.x) { color: red }', 'css_selector 1:1'],
  ['::part(label) { color: red }', 'css_selector 1:1'],
  ['::slotted(p) { color: red }', 'css_selector 1:1'],
  ['.label::first-line { font-size: 11px }', 'css_selector 1:7'],
  ['.option::after { color: red }', 'css_selector 1:8'],
  ['.option:before { color: red }', 'css_selector 1:8'],
  ['input[value^="a"] { color: red }', 'css_selector 1:1'],
  ['.option[type=password] { color: red }', 'css_selector 1:8'],
  ['.option[data-option^="A"] { color: red }', 'css_selector 1:8'],
  ['.option[data-option="a" i] { color: red }', 'css_selector 1:8'],
  ['svg|a { color: red }', 'css_selector 1:1'],
  ['+ .foot { display: none }', 'css_selector 1:1'],
  ['.poll + { color: red }', 'css_selector 1:7'],
  ['.poll + + .title { color: red }', 'css_selector 1:9'],
  ['.poll /deep/ .title { color: red }', 'css_selector 1:7'],
  ['body ~ .poll { display: none }', 'css_selector 1:1'],
  ['html + .poll { display: none }', 'css_selector 1:1'],
  ['.tossup ~ .foot { display: none }', 'css_selector 1:1'],
  ['.tossup.x + .foot { display: none }', 'css_selector 1:1'],
  ['.tossup::before { color: red }', 'css_selector 1:8'],
  ['body.dark .poll { color: red }', 'css_selector 1:1'],
  ['.poll body { color: red }', 'css_selector 1:7'],
  ['.poll .tossup { color: red }', 'css_selector 1:7'],
  ['.poll :is(html) { color: red }', 'css_selector 1:11'],
  ['.poll:not(:root) { display: none }', 'css_selector 1:11'],

  // Nested rules
  ['.poll { .title { color: red } }', 'css_nesting 1:9'],
  ['.poll { color: red; &:hover { color: blue } }', 'css_nesting 1:21'],
  ['& .title { color: red }', 'css_selector 1:1'],
  ['.poll { @media print { color: red } }', 'css_nesting 1:9'],

  // Properties
  ...[
    'position: fixed',
    'order: 1',
    'direction: rtl',
    'unicode-bidi: bidi-override',
    'writing-mode: vertical-rl',
    'grid-area: 1 / 2',
    'float: right',
    'all: unset',
    'zoom: 0',
    'visibility: hidden',
    'z-index: 9',
    'inset: 0',
    'clip-path: circle(0)',
    'mask: none',
    'content: ""',
    'outline: none',
    'translate: 1px',
    'scale: 0',
    'stroke: red',
    'overflow: hidden',
    'white-space: nowrap',
    'interactivity: inert',
    'border-image: none',
    'background-size: 9px',
    'background-clip: text',
    '-webkit-text-security: disc',
    '-webkit-text-fill-color: red',
    '-webkit-box-shadow: none',
    '*color: red',
    '_color: red',
    'constructor: red',
    'colour: red',
  ].map((declaration) => [`.label { ${declaration} }`, 'css_property 1:10'] as const),
  ['.option { --tossup-scale: 0 }', 'css_reserved 1:11'],
  ['.option { --TOSSUP-scale: 0 }', 'css_reserved 1:11'],

  // Values: each is printed as `property: value`
  ...(
    [
      ['display', 'contents', 'inline', 'table', 'var(--none)'],
      ['color', 'red blue', 'fixed', '#12345', 'rgb(1, 2)', 'rgb(from red r g b)', 'expression(1)', '--x'],
      [
        'padding',
        '-1px',
        '49px',
        '4em',
        '10%',
        '5vw',
        'calc(1px)',
        'max(1px, 2px)',
        'clamp(1px, 2vw, 99px)',
        '1px 1px 1px 1px 1px',
        '5',
      ],
      ['margin', '-1px', '33px', '5%'],
      ['border', '9px solid', '1px solid red red', '1px solid url(x)'],
      ['border-left-width', '9px', '9e9px'],
      ['font-size', '10px', '41px', '1em', '150%', 'smaller', '2vw'],
      ['line-height', '0', '0.9', '2.1', '5px'],
      ['letter-spacing', '-2px', '7px', '-1em'],
      ['opacity', '0', '.74', '1.1', '74%'],
      [
        'transform',
        'translate(7px)',
        'translateX(-9px)',
        'scale(0)',
        'scale(1.05)',
        'rotate(2deg)',
        'scaleX(-1)',
        'scale(1.04) scale(1.04)',
      ],
      [
        'filter',
        'opacity(0)',
        'blur(1px)',
        'brightness(0)',
        'contrast(0)',
        'invert(1)',
        'brightness(.9) brightness(.9)',
      ],
      ['backdrop-filter', 'contrast(0)', 'blur(99px)'],
      ['width', '0', '9999px', '1%'],
      ['max-width', '0', '1px', '1%'],
      ['height', '999px', '50%'],
      ['min-height', '999px', '100vh'],
      ['aspect-ratio', '0', '99', '1 / 99'],
      ['grid-template-columns', '1fr 0', '0 1fr', '9fr 1fr', 'repeat(9, 1fr)', '1fr 1fr 1fr', '"b a"'],
      ['flex-direction', 'row-reverse', 'column-reverse'],
      ['object-fit', 'none'],
      ['transition', 'all 11s'],
      ['animation', 'go 61s'],
      [
        'background',
        'linear-gradient(90deg, red 97%, #fff 0)',
        'linear-gradient(90deg, red 0 97%, #fff)',
        'linear-gradient(90deg, red 30%, #fff 50%)',
        'linear-gradient(red, red 3px, #fff 50%)',
        'linear-gradient(red, 97%, #fff)',
        'linear-gradient(red, red, red, red, red, #fff)',
        'linear-gradient(red)',
        'repeating-linear-gradient(red, #fff)',
        'conic-gradient(red, #fff)',
        'radial-gradient(9px, red, #fff)',
        'radial-gradient(circle 9px at 0 0, red, #fff)',
        'linear-gradient(red, red) 0 0 / 97% 8px no-repeat',
        'linear-gradient(red, #fff), linear-gradient(red, #fff)',
        'text',
      ],
      [
        'box-shadow',
        'inset 200px 0 0 red',
        '0 99px 0 red',
        '0 9vw 0 red',
        'inset 0 0 0 99px red',
        'calc(200px) 0 red',
        '0 0 1px red, 0 0 1px red, 0 0 1px red, 0 0 1px red, 0 0 1px red',
      ],
      ['text-shadow', '0 99px red', '17px 0 red'],
      [
        'font-family',
        'Wingdings',
        'Symbol, serif',
        '"D050000L", serif',
        'Standard Symbols PS',
        '"ITC Zapf Dingbats"',
        'Zapf  DINGBATS',
        '"wingdings-3"',
        'Georgia, OpenSymbol',
        '"Libre Barcode 39"',
      ],
      [
        'font',
        '1rem "Zapf Dingbats", serif',
        '1rem Symbol',
        'italic 700 1.5rem/2 "Symbol"',
        '12px/1.5 Georgia, Symbol',
        '99px serif',
        '1rem/0 serif',
        '1px serif',
        'medium Georgia',
      ],
    ] as const
  ).flatMap(([property, ...values]) =>
    values.map((value) => [`.option { ${property}: ${value} }`, `css_value 1:${13 + property.length}`] as const),
  ),

  // Variables stand for each of their values
  ['.option { --x: 99px; padding: var(--x) }', 'css_value 1:31'],
  ['.option { padding: var(--x) } .title { --x: 1px } .poll { --x: 99px }', 'css_value 1:20'],
  ['.option { padding: var(--a); --a: var(--b); --b: 99px }', 'css_value 1:20'],
  ['.option { --a: red 97%; background: linear-gradient(90deg, var(--a), #fff) }', 'css_value 1:37'],
  ['.option { --s: inset 200px 0 red; box-shadow: var(--s) }', 'css_value 1:47'],
  ['.option { --i: inset; --s: 20px 0; box-shadow: var(--i) var(--s) red }', 'css_value 1:48'],
  ['.label { --f: Webdings; font-family: var(--f) }', 'css_value 1:38'],
  ['.label { --a: var(--b); --b: var(--a); color: var(--a) }', 'css_value 1:47'],
  ['.label { color: var(--tossup-rim) }', 'css_value 1:17'],
  [
    `.label { ${Array.from({ length: 17 }, (_, i) => `--a: #0000${i + 10};`).join('')} color: var(--a) }`,
    'css_value 1:239',
  ],
  ['.poll { --x: { a: b } }', 'css_value 1:13'],
]

const said = (css: string): string[] =>
  readCss(css).problems.map(({ rule, line, column }) => `${rule} ${line}:${column}`)

describe('a stylesheet that is refused', () => {
  // spec: 4.11-7
  test('is each of these', () => expect(refused.length).toBeGreaterThan(200))

  test.each(refused.map(([css, ...problems]) => [css, problems] as const))('%j', (css, problems) => {
    expect(said(css)).toEqual([...problems])
    for (const { message } of readCss(css).problems) expect(message).toMatch(/^\S.*\.$/s)
    // The rest of a stylesheet from before these rules is served.
    expect(readCss(css).printed).not.toMatch(/[<>\\]|url\(/i)
  })

  test('says what was refused and what is allowed', () => {
    const messages = ['.poll { padding: 99px }', '.a {}', '.poll { opacity: 0 }'].map(
      (css) => readCss(css).problems[0]?.message,
    )
    expect(messages).toEqual([
      'padding takes [ 0 to 48px ]{1,4}, not "99px".',
      '.a is no part of a poll. The parts: .poll .brand .logo .title .options .option .option-a .option-b .has-picture .is-leader .frame .picture .label .result .bar .fill .share .mark .foot .status .watermark.',
      'opacity takes 75 to 100%, not "0".',
    ])
  })

  test('is reported with the place of each fault, in order, at most fifty', () => {
    const css = '.poll { order: 1 }\r\n.poll { zoom: 1 }\n\n.poll { float: left }\f.poll { all: unset }'
    expect(said(css)).toEqual(['css_property 1:9', 'css_property 2:9', 'css_property 4:9', 'css_property 5:9'])
    const characters = ['2:1', '4:2', '5:1', '6:1', '6:2'].map((place) => `css_angle_bracket ${place}`)
    expect(said('/*\r\n<\n\n <\f<\r<<*/')).toEqual(characters)
    expect(said('.poll { order: 1 } '.repeat(200))).toHaveLength(50)
    expect(said('<'.repeat(200))).toHaveLength(50)
    expect(said('.poll { : }'.repeat(200))).toHaveLength(50)
    for (const { message } of readCss(`.a { ${'x'.repeat(10_000)}: 1 }`).problems)
      expect(message.length).toBeLessThan(350)
  })

  test('by its size: in bytes, in rules, in selectors, in depth', () => {
    const least = '.poll{color:red}'
    const comment = (bytes: number) => `/*${'x'.repeat(bytes - 4)}*/`
    expect(said(comment(48 * 1024))).toEqual([])
    expect(said(comment(48 * 1024 + 1))).toEqual(['css_size 1:1'])
    expect(said(`/*${'é'.repeat(24 * 1024)}*/`)).toEqual(['css_size 1:1'])
    expect(said(least.repeat(1_000))).toEqual([])
    expect(said(least.repeat(1_001))).toEqual(['css_size 1:16001'])
    expect(said(`${'.poll,'.repeat(1_999)}.poll{color:red}`)).toEqual([])
    expect(said(`${'.poll,'.repeat(2_000)}.poll{color:red}`)).toEqual(['css_size 1:1'])
    for (const deep of ['.poll{width:', '.poll:not('])
      expect(said(deep + '('.repeat(20_000))).toContainEqual(expect.stringMatching('css_depth'))
    expect(said(`${'@media print{'.repeat(3_000)}${'}'.repeat(3_000)}`)).toEqual([`css_depth 1:${12 * 13 + 13}`])
  })

  test('is read quickly in every form', () => {
    const worst = [
      '.a{'.repeat(15_000),
      '('.repeat(48_000),
      '/*'.repeat(24_000),
      '"'.repeat(48_001),
      `.poll{color:${'a '.repeat(24_000)}}`,
      `${'.a'.repeat(20_000)}{color:red}`,
      `${'.poll'.repeat(9_000)}{color:red}`,
      `.poll{color:${'light-dark(red,'.repeat(9)}red${')'.repeat(9)}}`.repeat(300),
      `.poll${':not(.brand)'.repeat(4_000)}{color:red}`,
      `.poll{${'--a:var(--a);background:var(--a);'.repeat(1_400)}}`,
      `.poll{${Array.from({ length: 1_300 }, (_, i) => `--a${i}:var(--a${i + 1});`).join('')}background:var(--a0)}`,
      `.poll{${Array.from({ length: 15 }, (_, i) => `--a:0 0 9px #${i + 10}0000;`).join('')}${'box-shadow:var(--a);'.repeat(2_200)}}`,
      `.poll{--a:red;${`box-shadow:${'0 0 9px var(--a),'.repeat(11)}0 0 red;`.repeat(220)}}`,
      `.poll{background:linear-gradient(${'red,'.repeat(11_000)}red)}`,
      `.poll{box-shadow:${'0 0 red,'.repeat(5_900)}0 0 red}`,
      `.poll{${'animation:a 1s ease 1s infinite normal both x;'.repeat(1_000)}}`,
      `.poll{font-family:${'a '.repeat(23_000)}}`,
      `.poll{font-family:"${'wing'.repeat(11_000)}"}`,
      '\n'.repeat(40_000) + '<'.repeat(8_000),
    ]
    for (const css of worst) {
      const before = process.threadCpuUsage()
      readCss(css)
      const { user, system } = process.threadCpuUsage(before)
      expect([css.slice(0, 20), user + system < 1_000_000]).toEqual([css.slice(0, 20), true])
    }
  })
})

/** The content of the layer's block. */
function inLayer(css: string): string {
  const { printed } = readCss(css)
  const [head, tail] = [`${PRINTED_BY}${LAYER_ORDER}\n@layer ${BRAND_LAYER}{\n`, '}\n']
  expect(printed.startsWith(head) && printed.endsWith(tail)).toBe(true)
  return printed.slice(head.length, -tail.length)
}

describe('a stylesheet that is taken', () => {
  test.each([
    ['', ''],
    ['/* nothing yet */', ''],
    ['.poll { color: red; ; }', '.tossup .poll{color:red}\n'],
    ['.poll { COLOR: Red !important }', '.tossup .poll{color:Red!important}\n'],
    [
      ':root { --brand: #f06; } body { color: var(--brand) }',
      '.tossup .poll{--brand:#f06}\n.tossup .poll{color:var(--brand)}\n',
    ],
    ['.option { --x: ; color: red }', '.tossup .option{--x:;color:red}\n'],
    [
      '.label { font: 12px/1.5 "Segoe UI Symbol", "Apple Color Emoji", sans-serif }',
      '.tossup .label{font:12px/1.5 "Segoe UI Symbol", "Apple Color Emoji", sans-serif}\n',
    ],
    [
      '.label { font-family: "Symbola Text", Noto Sans Symbols }',
      '.tossup .label{font-family:"Symbola Text", Noto Sans Symbols}\n',
    ],
    [
      '.poll { background: var(--g) } .title { --g: linear-gradient(to right, var(--b), #fff 50%); --b: red }',
      '.tossup .poll{background:var(--g)}\n.tossup .title{--g:linear-gradient(to right, var(--b), #fff 50%);--b:red}\n',
    ],
    [
      '.poll { color: var(--tossup-accent); border-radius: var(--tossup-radius) }',
      '.tossup .poll{color:var(--tossup-accent);border-radius:var(--tossup-radius)}\n',
    ],
    [
      '@media ((hover) or (min-width: 1px)) and (not (print)) { .poll { color: red } }',
      '@media ((hover) or (min-width:1px)) and (not (print)){\n.tossup .poll{color:red}\n}\n',
    ],
    [
      '@supports (display: grid) and (not (gap: 1px)) { .poll { color: red } }',
      '@supports (display:grid) and (not (gap:1px)){\n.tossup .poll{color:red}\n}\n',
    ],
    ['@KEYFRAMES fade { from, 50% { opacity: .8 } }', '@keyframes fade{\nfrom,50%{opacity:.8}\n}\n'],
    ['.poll { padding: 0 }', '.tossup .poll{padding:0 min(0px,12%) 0 min(0px,12%)}\n'],
    ['.poll { padding: 1px 2px 3px }', '.tossup .poll{padding:1px min(2px,12%) 3px min(2px,12%)}\n'],
    [
      '.poll { padding: clamp(1px, 2vw, 3px) }',
      '.tossup .poll{padding:clamp(1px, 2vw, 3px) min(clamp(1px, 2vw, 3px),12%) clamp(1px, 2vw, 3px) min(clamp(1px, 2vw, 3px),12%)}\n',
    ],
    [
      '.poll { padding: inherit; padding-block: 9px; padding-left: 9px }',
      '.tossup .poll{padding:inherit;padding-block:9px;padding-left:min(9px,12%)}\n',
    ],
    [
      '.poll { --p: 9px; padding-inline: var(--p) 1px }',
      '.tossup .poll{--p:9px;padding-inline:min(var(--p),12%) min(1px,12%)}\n',
    ],
    ['.options { flex-direction: column }', '.tossup .options{grid-template-columns:minmax(0,1fr)}\n'],
    [
      '.options { grid-template-columns: 1fr 1fr }',
      '.tossup .options{grid-template-columns:repeat(auto-fit,minmax(min(100%,7rem),1fr))}\n',
    ],
  ])('%j', (css, printed) => {
    expect(said(css)).toEqual([])
    expect(inLayer(css)).toBe(printed)
  })

  test.each([
    ['.option', '.tossup .option'],
    [
      '.option:hover, .title + .foot, .brand ~ .foot',
      '.tossup .option:hover,.tossup .title+.foot,.tossup .brand~.foot',
    ],
    ['.option:not(.has-picture, :hover):is(.option-a)', '.tossup .option:not(.has-picture,:hover):is(.option-a)'],
    ['.option:dir(rtl)[aria-pressed="true"]', '.tossup .option:dir(rtl)[aria-pressed="true"]'],
    ['body', '.tossup .poll'],
    [':ROOT', '.tossup .poll'],
    [':host', '.tossup .poll'],
    ['html body', '.tossup .poll'],
    ['html body .option', '.tossup .option'],
    ['.tossup', '.tossup .poll'],
    ['body .tossup', '.tossup .poll'],
    ['.tossup .option', '.tossup .option'],
    ['.tossup[data-state~="voted"]', '.tossup[data-state~="voted"] .poll'],
    ['.tossup[data-label="overlay"] .label', '.tossup[data-label="overlay"] .label'],
  ])('%s matches nothing outside of a poll: %s', (selector, scoped) => {
    expect(inLayer(`${selector}{color:red}`)).toBe(`${scoped}{color:red}\n`)
  })

  test('keeps the rest where something is refused', () => {
    const css =
      '.poll, .a { color: red; position: fixed; --x: 1px } .b { color: red } @font-face { src: url(x) } .poll { padding: 99px }'
    expect(inLayer(css)).toBe('.tossup .poll{color:red;--x:1px}\n.tossup .poll{}\n')
  })
})

test('any text gets a list of broken rules or an empty one, and nothing throws', () => {
  const words = [
    '.a',
    '{',
    '}',
    '(',
    ')',
    '"',
    "'",
    ':',
    ';',
    '@media',
    'url(',
    'not(',
    'red',
    '\\',
    '<',
    '/*',
    '*/',
    '\n',
    '&',
    '!',
    ',',
    '1px',
    '--x',
    '%',
    '+',
    '\ud800',
    '\0',
    'é',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...words, ' '), { maxLength: 40 }), (parts) => {
      for (const { rule, line, column } of readCss(parts.join('')).problems) {
        expect(rule).toMatch(/^css_/)
        expect(line).toBeGreaterThan(0)
        expect(column).toBeGreaterThan(0)
      }
    }),
    { numRuns: 3_000 },
  )
})

describe('ordinary text with pieces cut out and inserted, as it is printed', () => {
  const folder = new URL('../../../../../test/stylesheets/', import.meta.url)
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const pieces = texts
    .flatMap((text) => text.split(/(?<=[{};,()\s])/))
    .concat('body', '.tossup', '+', '~', ':not(', '&', '"', '@media print{')
  const spoiled = fc
    .tuple(
      fc.constantFrom(...texts),
      fc.array(fc.tuple(fc.nat(4_000), fc.nat(40), fc.constantFrom(...pieces)), { maxLength: 3 }),
    )
    .map(([text, cuts]) =>
      cuts.reduce((all, [at, length, piece]) => all.slice(0, at) + piece + all.slice(at + length), text),
    )

  /** An extra bracket would close the layer around the text. */
  function expectClosed(text: string): void {
    let depth = 0
    for (const [bracket] of text.matchAll(/[{}]/g)) {
      depth += bracket === '{' ? 1 : -1
      expect(depth).toBeGreaterThanOrEqual(0)
    }
    expect(depth).toBe(0)
  }

  test('stays in its layer and within the poll', () => {
    let taken = 0
    fc.assert(
      fc.property(spoiled, (css) => {
        const text = inLayer(css)
        if (text !== '') taken++
        // A bracket in a string, such as the name of a font, opens and closes nothing. No string has a backslash.
        const withoutStrings = text.replace(/"[^"]*"/g, '""')
        for (const [, list = ''] of withoutStrings.matchAll(/^(?!@|from|to|[\d.]+%)([^{}]+)\{/gm))
          for (const selector of list.split(/,(?![^(]*\))/))
            expect(selector).toMatch(/^\.tossup(\[[^\]]*\]|[^~+\s])* [.:]/)
        expectClosed(withoutStrings)
        expect(text).not.toMatch(/[<>\\]|url\(|@(?!media|supports|container|keyframes)/i)
      }),
      { numRuns: 500 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})
