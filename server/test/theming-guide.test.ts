import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { themePresets } from '../../sdk/src/theme-presets.ts'
import { PROPERTIES } from '../src/features/brands/themes/css/properties.ts'
import { readCss } from '../src/features/brands/themes/css/read-css.ts'
import { ALL_PSEUDO_CLASSES, ATTRIBUTES, PARTS } from '../src/features/brands/themes/css/selectors.ts'

const root = new URL('../..', import.meta.url).pathname
const guide = await readFile(join(root, 'docs/guides/theming.md'), 'utf8')

const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block ?? '')

test('the stylesheet of the guide is accepted, and its table lists every rule', async () => {
  for (const css of blocks('css')) expect(readCss(css).problems).toEqual([])
  const source = await readFile(join(root, 'server/src/features/brands/themes/css/problems.ts'), 'utf8')
  const known = [...source.matchAll(/^ {2}\| '(css_\w+)'$/gm)].map(([, rule]) => rule ?? '')
  const told = [...guide.matchAll(/^\| `(css_\w+)`/gm)].map(([, rule]) => rule ?? '')
  expect(told.sort()).toEqual(known.sort())
  const names = new Set([...guide.matchAll(/`([^`]*)`/g)].map(([, name]) => name ?? ''))
  // Sides and corners are told once.
  const plain = Object.keys(PROPERTIES).map((name) =>
    name.replace(/-(top|right|bottom|left|block|inline|start|end)(?=-|$)/g, '').replace(/-(start|end)(?=-|$)/g, ''),
  )
  expect([...new Set(plain)].filter((name) => !names.has(name))).toEqual([])
  const text = [...names].join(' ')
  const untold = [
    ...[...PARTS].map((part) => `.${part}`),
    ...ATTRIBUTES,
    ...ALL_PSEUDO_CLASSES.map((name) => `:${name}`),
  ]
  expect(untold.filter((name) => !text.includes(name))).toEqual([])
})

test('the table of presets has the values of the client library', () => {
  const [head = [], , ...rows] = [
    ...guide.matchAll(
      /^\| (?:preset|`(?:clear|paper|midnight|pop)` +\| [A-Z]|-+ \| -+ \| -+ \| -+ \| -+ \| -+ \| -+ \| -+ \| -+ \| -+ \| -+ \|).*$/gm,
    ),
  ].map(([line]) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
  const told = Object.fromEntries(
    rows.map(([name = '', ...values]) => [name, Object.fromEntries(values.map((value, i) => [head[i + 1], value]))]),
  )
  expect(told).toEqual(themePresets as unknown as typeof told)
})
