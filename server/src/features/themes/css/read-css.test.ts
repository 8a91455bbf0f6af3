import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cssProblems } from './read-css.ts'

/** Refused CSS, with the rule, line and column of each problem. */
const refused: readonly (readonly [css: string, ...problems: string[]])[] = [
  // The two characters of the specification
  ['.poll > .title { color: red }', 'css_angle_bracket 1:7'],
  ['/* a < b */ .poll { color: red }', 'css_angle_bracket 1:6'],
  [
    '.poll {\n  color: red;\n}\n</style><script>',
    'css_angle_bracket 4:1',
    'css_angle_bracket 4:8',
    'css_angle_bracket 4:9',
    'css_angle_bracket 4:16',
  ],
  ['.poll { font-family: "<b>" }', 'css_angle_bracket 1:23', 'css_angle_bracket 1:25'],
  ['@media (width >= 400px) { .poll { color: red } }', 'css_angle_bracket 1:15'],
  ['<!-- .poll { color: red } -->', 'css_angle_bracket 1:1', 'css_angle_bracket 1:29'],

  // What does not parse
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
  ['.poll + { color: red }', 'css_syntax 1:7'],
  ['.poll { color: red !nearly }', 'css_syntax 1:9'],
  ['.poll { color: red; --x: { a: b } }', 'css_syntax 1:26'],
  ['.poll { filter: progid:DXImageTransform.Microsoft.Alpha(opacity=0) }', 'css_function 1:51'],
  ['@media { .poll { color: red } }', 'css_syntax 1:1'],
  ['@media print;', 'css_syntax 1:1'],
  ['@media (.a b: c) { .poll { color: red } }', 'css_syntax 1:9'],
  ['@keyframes { from { color: red } }', 'css_syntax 1:1'],
  ['@keyframes x { .poll { color: red } }', 'css_syntax 1:16'],
  ['.poll:is() { color: red }', 'css_pseudo 1:6'],
  ['.poll:not { color: red }', 'css_pseudo 1:6'],

  // At-rules
  ['@import "https://evil.test/x.css";', 'css_at_rule 1:1'],
  ['.poll { color: red }\n@IMPORT url(x.css);', 'css_at_rule 2:1', 'css_address 2:9'],
  ['@font-face { font-family: Georgia; src: local("Wingdings") }', 'css_at_rule 1:1', 'css_function 1:41'],
  ['@charset "utf-7";', 'css_at_rule 1:1'],
  ['@namespace svg url(http://www.w3.org/2000/svg);', 'css_at_rule 1:1', 'css_address 1:16'],
  ['@layer tossup.integrity { .option { display: none } }', 'css_at_rule 1:1'],
  ['@layer tossup.brand, tossup.integrity;', 'css_at_rule 1:1'],
  ['@scope (html) { p { display: none } }', 'css_at_rule 1:1'],
  ['@property --x { syntax: "*"; inherits: false }', 'css_at_rule 1:1'],
  ['@page { margin: 0 }', 'css_at_rule 1:1'],
  ['@starting-style { .option { opacity: 0 } }', 'css_at_rule 1:1'],
  ['@view-transition { navigation: auto }', 'css_at_rule 1:1'],
  ['@counter-style x { system: cyclic }', 'css_at_rule 1:1'],
  ['@-moz-document url-prefix() { .poll { color: red } }', 'css_at_rule 1:1', 'css_function 1:16'],
  ['@-webkit-keyframes x { from { color: red } }', 'css_at_rule 1:1'],
  ['@media print { @import "x"; }', 'css_at_rule 1:16'],
  ['.poll { @import "x"; }', 'css_at_rule 1:9'],
  ['@tailwind base;', 'css_at_rule 1:1'],

  // Loading, drawing from elsewhere, or reading the page
  ['.poll { background: url(https://evil.test/x) }', 'css_address 1:21'],
  ['.poll {\n\tbackground:\n\t\tURL("x.png")\n}', 'css_address 3:3'],
  ['.poll { background: url() }', 'css_address 1:21'],
  ['.poll { background: url(a b) }', 'css_address 1:21'],
  ['.poll { background: src("x.png") }', 'css_address 1:21'],
  ['.poll { background: image("x.png") }', 'css_address 1:21'],
  ['.poll { background: image-set("x.png" 1x) }', 'css_address 1:21'],
  ['.poll { background: -webkit-image-set("x.png" 1x) }', 'css_address 1:21'],
  ['.poll { background: cross-fade(red, blue) }', 'css_address 1:21'],
  ['.poll { background: -webkit-cross-fade(red, blue, 50%) }', 'css_address 1:21'],
  ['.poll { background: element(#x) }', 'css_address 1:21'],
  ['.poll { background: -moz-element(#x) }', 'css_address 1:21'],
  ['.poll { background: paint(worklet) }', 'css_address 1:21'],
  ['.poll { width: attr(data-x px) }', 'css_address 1:16'],
  ['.poll { width: expression(alert(1)) }', 'css_address 1:16', 'css_function 1:27'],
  ['.poll { --x: url(https://evil.test/x) }', 'css_address 1:14'],
  ['.poll { background: var(--none, url(https://evil.test/x)) }', 'css_address 1:33'],
  ['.poll { color: light-dark(red, src("x")) }', 'css_address 1:32'],
  ['@supports (background: url(x)) { .poll { color: red } }', 'css_address 1:24'],
  ['.poll { cursor: url(x.cur), auto }', 'css_address 1:17'],

  // Escapes and characters
  ['.poll { background: \\75rl(https://evil.test/x) }', 'css_escape 1:21', 'css_function 1:21'],
  ['@\\69mport "x";', 'css_escape 1:1', 'css_at_rule 1:1'],
  ['.poll::before { content: "\\201C" }', 'css_escape 1:26'],
  ['.md\\:flex { color: red }', 'css_escape 1:2'],
  ['.poll { color: red }\u0001', 'css_character 1:21'],
  ['\ufeff.poll { color: red }', 'css_character 1:1'],

  // Functions that are not allowed
  ['.poll { width: anchor-size(width) }', 'css_function 1:16'],
  ['.poll { background: -webkit-gradient(linear, left top) }', 'css_function 1:21'],
  ['.poll { content: counter(x) }', 'css_function 1:18'],
  ['.poll { color: if(style(--x: 1): red) }', 'css_function 1:16', 'css_function 1:19'],
  ['@container style(--x: 1) { .poll { color: red } }', 'css_function 1:12'],
  ['@supports selector(:has(a)) { .poll { color: red } }', 'css_function 1:11', 'css_function 1:21'],

  // Selectors
  ['.poll:has(.option) { color: red }', 'css_function 1:7'],
  [':host(.x) { color: red }', 'css_function 1:2'],
  [':host-context(body) { color: red }', 'css_function 1:2'],
  ['::part(label) { color: red }', 'css_function 1:3'],
  ['::slotted(p) { color: red }', 'css_function 1:3'],
  ['.label::first-line { font-size: 0 }', 'css_pseudo 1:7'],
  ['.label::first-letter { font-size: 0 }', 'css_pseudo 1:7'],
  ['::backdrop { background: red }', 'css_pseudo 1:1'],
  ['::-webkit-scrollbar { width: 0 }', 'css_pseudo 1:1'],
  ['input::placeholder { color: red }', 'css_pseudo 1:6'],
  [':target { display: none }', 'css_pseudo 1:1'],
  [':scope { color: red }', 'css_pseudo 1:1'],
  ['input[value^="a"] { color: red }', 'css_attribute 1:6'],
  ['[type=password] { color: red }', 'css_attribute 1:1'],
  ['.poll :not([name="token"]) { color: red }', 'css_attribute 1:12'],
  ['[*|value] { color: red }', 'css_attribute 1:1'],
  ['svg|a { color: red }', 'css_selector 1:1'],
  ['+ footer { display: none }', 'css_selector 1:1'],
  ['~ * { display: none }', 'css_selector 1:1'],
  ['.poll + + .title { color: red }', 'css_selector 1:9'],
  ['.poll /deep/ .title { color: red }', 'css_selector 1:7'],
  ['.poll :is(+ .title) { color: red }', 'css_selector 1:11'],
  ['body ~ div { display: none }', 'css_outside 1:1'],
  ['html + * { display: none }', 'css_outside 1:1'],
  ['.tossup ~ footer { display: none }', 'css_outside 1:1'],
  ['.tossup.x + footer { display: none }', 'css_outside 1:1'],
  ['.tossup::before { content: "" }', 'css_outside 1:1'],
  ['body.dark .poll { color: red }', 'css_outside 1:1'],
  ['html[lang] .poll { color: red }', 'css_outside 1:1'],
  ['.poll body { color: red }', 'css_outside 1:7'],
  ['.poll :is(html, body) { color: red }', 'css_outside 1:11', 'css_outside 1:17'],
  [':not(:root) { display: none }', 'css_outside 1:6'],

  // Nested rules
  ['.poll { .title { color: red } }', 'css_nesting 1:9'],
  ['.poll { color: red; &:hover { color: blue } }', 'css_nesting 1:21'],
  ['.poll { & + & { display: none } }', 'css_nesting 1:9'],
  ['& .title { color: red }', 'css_nesting 1:1'],
  [':not(&) { display: none }', 'css_nesting 1:6'],
  ['.poll { @media print { color: red } }', 'css_nesting 1:9'],

  // Properties and values
  ['.option { position: fixed }', 'css_value 1:21'],
  ['.option { position: sticky }', 'css_value 1:21'],
  ['.option { POSITION: -webkit-sticky }', 'css_value 1:21'],
  ['.option { --p: fixed; position: var(--p) }', 'css_value 1:33'],
  ['.option { order: 1 }', 'css_property 1:11'],
  ['.option { -webkit-order: 1 }', 'css_property 1:11'],
  ['.options { direction: rtl }', 'css_property 1:12'],
  ['.label { unicode-bidi: bidi-override }', 'css_property 1:10'],
  ['.options { writing-mode: vertical-rl }', 'css_property 1:12'],
  ['.options { flex-direction: row-reverse }', 'css_value 1:28'],
  ['.options { flex-flow: column-reverse wrap }', 'css_value 1:23'],
  ['.options { flex-wrap: wrap-reverse }', 'css_value 1:23'],
  ['.options { flex-direction: var(--d) }', 'css_value 1:28'],
  ['.options { grid-auto-flow: dense }', 'css_value 1:28'],
  ['.choice { grid-area: 1 / 2 }', 'css_property 1:11'],
  ['.choice { grid-column: 2 }', 'css_property 1:11'],
  ['.choice { grid-row-start: 2 }', 'css_property 1:11'],
  ['.options { grid-template-areas: "b a" }', 'css_property 1:12'],
  ['.options { grid-template: "b a" / 1fr 1fr }', 'css_property 1:12'],
  ['.choice { float: right }', 'css_property 1:11'],
  ['.option { all: unset }', 'css_property 1:11'],
  ['.option { behavior: none }', 'css_property 1:11'],
  ['.option { -moz-binding: none }', 'css_property 1:11'],
  ['.option { *zoom: 1; _height: 1px }', 'css_property 1:11', 'css_property 1:21'],
  ['.option { zoom: 0 }', 'css_property 1:11'],
  ['.option { interactivity: inert }', 'css_property 1:11'],
  ['.label { -webkit-text-security: disc }', 'css_property 1:10'],
  ['.label { font-size-adjust: 0 }', 'css_property 1:10'],
  ['.option { reading-order: 2 }', 'css_property 1:11'],
  ['.option { content-visibility: hidden }', 'css_property 1:11'],
  ['.option { colour: red }', 'css_property 1:11'],
  ['.title { display: contents }', 'css_value 1:19'],
  ['.title { display: var(--d) }', 'css_value 1:19'],
  ['.option::after { content: "Vote B" }', 'css_value 1:27'],
  ['.option::after { content: var(--c) }', 'css_value 1:27'],
  ['.option::after { content: open-quote }', 'css_value 1:27'],
  ['.option { --tossup-scale: 0 }', 'css_reserved 1:11'],
  ['.option { --TOSSUP-scale: 0 }', 'css_reserved 1:11'],
  ['.label { font-family: Wingdings }', 'css_font 1:23'],
  ['.label { font: 1rem "Zapf Dingbats", serif }', 'css_font 1:16'],
  ['.label { font-family: Symbol, serif }', 'css_font 1:23'],
  ['.label { --f: Webdings; font-family: var(--f) }', 'css_font 1:14'],
  ['.label { font: 1rem Symbol }', 'css_font 1:16'],
  ['.label { font: italic 700 1.5em/2 "Symbol" }', 'css_font 1:16'],
  ['.label { font: 12px/1.5 Georgia, Symbol }', 'css_font 1:16'],
  ['.label { font: medium D050000L }', 'css_font 1:16'],
  ['.label { font-family: "D050000L", serif }', 'css_font 1:23'],
  ['.label { font-family: Standard Symbols PS }', 'css_font 1:23'],
  ['.label { font-family: "ITC Zapf Dingbats" }', 'css_font 1:23'],
  ['.label { font-family: Zapf  DINGBATS }', 'css_font 1:23'],
  ['.label { font-family: "wingdings-3" }', 'css_font 1:23'],
  ['.label { font-family: OpenSymbol }', 'css_font 1:23'],
  ['.label { font-family: "Libre Barcode 39" }', 'css_font 1:23'],
  ['.label { --f: 1rem Symbol; font: var(--f) }', 'css_font 1:14'],
  ['.label { font: var(--size) Marlett }', 'css_font 1:16'],
  ['.option { background: linear-gradient(90deg, red 97%, #fff 0) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(90deg, red 0 97%, #fff) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(90deg, red 90%, #fff 97%) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(red, red 3px, #fff 50%) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(90deg, red, 97%, #fff) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(red, red, red, red, red, #fff) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(90deg, red calc(97%), #fff 0) }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(red) }', 'css_paint 1:23'],
  ['.option { background: repeating-linear-gradient(red, #fff) }', 'css_paint 1:23'],
  ['.option { background: conic-gradient(red, #fff) }', 'css_paint 1:23'],
  ['.option { background: radial-gradient(9px, red, #fff) }', 'css_paint 1:23'],
  ['.option { background: radial-gradient(circle 9px at 0 0, red, #fff) }', 'css_paint 1:23'],
  ['.option { --a: red 97%; background: linear-gradient(90deg, var(--a), #fff) }', 'css_paint 1:60'],
  ['.option { --a: 97%; background: linear-gradient(90deg, red var(--a), #fff 0) }', 'css_paint 1:33'],
  ['.option { background: linear-gradient(90deg, var(--b), #fff); --b: var(--c); --c: red 97% }', 'css_paint 1:46'],
  ['.option { background: linear-gradient(90deg, var(--b, red 97%), #fff) }', 'css_paint 1:23'],
  ['.option { --g: linear-gradient(red 9%, #fff 0) }', 'css_paint 1:16'],
  ['.option { background: linear-gradient(red, red) 0 0 / 97% 8px no-repeat }', 'css_paint 1:23'],
  ['.option { background: linear-gradient(red, red) 0 0 / var(--s) }', 'css_paint 1:23'],
  ['.option { --s: 0 0 / 97% 8px; background: linear-gradient(red, red) var(--s) }', 'css_paint 1:69'],
  ['.option { background-size: 97% 8px }', 'css_paint 1:28'],
  ['.option { background-size: var(--s) }', 'css_paint 1:28'],
  [
    '.option { background-image: linear-gradient(red, #fff), linear-gradient(red, #fff), linear-gradient(red, #fff) }',
    'css_paint 1:29',
  ],
  ['.option { border-image: linear-gradient(red, #fff) 1 }', 'css_paint 1:25'],
  ['.option { border-image-slice: 1 fill }', 'css_paint 1:31'],
  ['.option { box-shadow: inset 200px 0 0 red }', 'css_paint 1:23'],
  ['.option { box-shadow: 0 99px 0 red }', 'css_paint 1:23'],
  ['.option { box-shadow: 0 9vw 0 red }', 'css_paint 1:23'],
  ['.option { box-shadow: inset 0 0 0 99px red }', 'css_paint 1:23'],
  ['.option { box-shadow: calc(200px) 0 red }', 'css_paint 1:23'],
  ['.option { --s: inset 200px 0 red; box-shadow: var(--s) }', 'css_paint 1:47'],
  ['.option { --x: 200px; box-shadow: inset var(--x) 0 red }', 'css_paint 1:41'],
  ['.option { box-shadow: 0 0 1px red, 0 0 1px red, 0 0 1px red, 0 0 1px red, 0 0 1px red }', 'css_paint 1:23'],
  ['.title { text-shadow: 0 99px red }', 'css_paint 1:23'],
  ['.picture { filter: drop-shadow(99px 0 0 red) }', 'css_paint 1:20'],
  ['@keyframes a { to { box-shadow: inset 200px 0 red } }', 'css_paint 1:33'],
]

const said = (css: string): string[] => cssProblems(css).map(({ rule, line, column }) => `${rule} ${line}:${column}`)

describe('a stylesheet that is refused', () => {
  test('is each of these', () => expect(refused.length).toBeGreaterThan(100))

  test.each(refused.map(([css, ...problems]) => [css, problems] as const))('%j', (css, problems) => {
    expect(said(css)).toEqual([...problems])
    for (const { message } of cssProblems(css)) expect(message).toMatch(/^\S.*\.$/)
  })

  test('is reported with the place of each fault, in order, at most fifty', () => {
    const css = '.a { order: 1 }\r\n.b { zoom: 1 }\n\n.c { float: left }\f.d { all: unset }'
    expect(said(css)).toEqual(['css_property 1:6', 'css_property 2:6', 'css_property 4:6', 'css_property 5:6'])
    const characters = ['2:1', '4:2', '5:1', '6:1', '6:2'].map((place) => `css_angle_bracket ${place}`)
    expect(said('/*\r\n<\n\n <\f<\r<<*/')).toEqual(characters)
    expect(said('.a { order: 1 } '.repeat(200))).toHaveLength(50)
    expect(said('<'.repeat(200))).toHaveLength(50)
    expect(said('.a { : }'.repeat(200))).toHaveLength(50)
    for (const { message } of cssProblems(`.a { ${'x'.repeat(10_000)}: 1 }`)) expect(message.length).toBeLessThan(250)
  })

  test('by its size: in bytes, in rules, in selectors, in depth', () => {
    const least = '.a{color:red}'
    const comment = (bytes: number) => `/*${'x'.repeat(bytes - 4)}*/`
    expect(said(comment(48 * 1024))).toEqual([])
    expect(said(comment(48 * 1024 + 1))).toEqual(['css_size 1:1'])
    expect(said(`/*${'é'.repeat(24 * 1024)}*/`)).toEqual(['css_size 1:1'])
    expect(said(least.repeat(1_000))).toEqual([])
    expect(said(least.repeat(1_001))).toEqual(['css_size 1:13001'])
    expect(said(`${'a,'.repeat(1_999)}a{color:red}`)).toEqual([])
    expect(said(`${'a,'.repeat(2_000)}a{color:red}`)).toEqual(['css_size 1:1'])
    for (const deep of ['.a{width:', 'a:not('])
      expect(said(deep + '('.repeat(20_000))).toContainEqual(expect.stringMatching('css_depth'))
    expect(said(`${'@media print{'.repeat(3_000)}${'}'.repeat(3_000)}`)).toEqual([`css_depth 1:${12 * 13 + 13}`])
  })

  test('is parsed quickly in every form', () => {
    const worst = [
      '.a{'.repeat(15_000),
      '('.repeat(48_000),
      '/*'.repeat(24_000),
      '"'.repeat(48_001),
      `.a{color:${'a '.repeat(24_000)}}`,
      `${'.a'.repeat(20_000)}{color:red}`,
      `.a{background:${'linear-gradient('.repeat(10)}red${')'.repeat(10)}}`.repeat(200),
      `a${':not(b)'.repeat(6_000)}{color:red}`,
      '.a{color:red;'.repeat(3_000),
      `.a{${'--a:var(--a);background:var(--a);'.repeat(1_400)}}`,
      `.a{${Array.from({ length: 1_300 }, (_, i) => `--a${i}:var(--a${i + 1});`).join('')}background:var(--a0)}`,
      `.a{${'--a:red;'.repeat(3_000)}${'background:var(--a);'.repeat(1_100)}}`,
      `.a{background:linear-gradient(${'red,'.repeat(11_000)}red)}`,
      `.a{box-shadow:${'0 0 red,'.repeat(5_900)}0 0 red}`,
      `.a{font-family:${'a '.repeat(23_000)}}`,
      `.a{font-family:${'a,'.repeat(23_000)}a}`,
      `.a{font-family:"${'wing'.repeat(11_000)}"}`,
      '\n'.repeat(40_000) + '<'.repeat(8_000),
    ]
    for (const css of worst) {
      const before = process.threadCpuUsage()
      cssProblems(css)
      const { user, system } = process.threadCpuUsage(before)
      expect([css.slice(0, 20), user + system < 1_000_000]).toEqual([css.slice(0, 20), true])
    }
  })
})

describe('a stylesheet that is taken', () => {
  test.each([
    '',
    ' \n ',
    '/* nothing yet */',
    '.poll {}',
    '.a { color: red; ; }',
    ':root { --brand: #f06; } body { color: var(--brand) }',
    'html body .title { color: red }',
    '* { box-sizing: border-box }',
    '.option:before { content: ""; } .option::after { CONTENT: none }',
    '.a { font: 12px/1.5 "Segoe UI Symbol", "Apple Color Emoji", sans-serif }',
    '.a { color: red !important; width: calc(100% - (2 * var(--x, 4px))) }',
    '.option { --x: ; color: red }',
    '.tossup[data-state~="voted"] .option { color: red }',
    '@supports (display: grid) and (not (gap: 1px)) { .a { color: red } }',
    '@media ((hover) or (min-width: 1px)) and (not (print)) { .a { color: red } }',
    '@MEDIA print { .a { color: red } }',
    '.ünïcödé { color: red }',
    '.option { transform: translateY(-4px); grid-template-columns: 1fr }',
    '.a { font: 1rem "Symbola Text", "Noto Sans Symbols", serif; --icon: 3px }',
    '.a { font: var(--f); --f: italic 1rem/1.2 Georgia }',
    '.a { background: #fff; background: none; background: var(--b); --b: rgb(0 0 0 / 50%) }',
    '.a { background: linear-gradient(to right, var(--b), #fff 50%) no-repeat center / cover; --b: var(--c); --c: red }',
    '.a { background: var(--g), #fff; --g: linear-gradient(in oklch 45deg, red 0%, #fff 100%) }',
    '.a { background: radial-gradient(circle at 20% 0%, red, transparent 60%); background-size: auto, cover }',
    '.a { background: conic-gradient(from 45deg, red, #fff, red) }',
    '.a { box-shadow: 0 1px 2px rgb(0 0 0 / .3), 0 16px 32px var(--b), inset 0 0 0 2px red; --b: red }',
    '.a { box-shadow: var(--s); --s: 0 10px 15px -3px rgb(0 0 0 / .1), 0 4px 6px -4px #000 }',
    '.a { box-shadow: var(--s); --s: var(--t); --t: var(--s) }',
    '.a { text-shadow: 1px 1px 2px red; filter: drop-shadow(0 4px 4px #000) }',
  ])('%j', (css) => expect(said(css)).toEqual([]))
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
      for (const { rule, line, column } of cssProblems(parts.join(''))) {
        expect(rule).toMatch(/^css_/)
        expect(line).toBeGreaterThan(0)
        expect(column).toBeGreaterThan(0)
      }
    }),
    { numRuns: 3_000 },
  )
})
