import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { themePresets } from '../../sdk/src/theme-presets.ts'
import { cssProblems } from '../src/features/themes/css/read-css.ts'
import { freePort } from './free-port.ts'
import { followGuide } from './guides.ts'

const root = new URL('../..', import.meta.url).pathname
const guide = await readFile(join(root, 'docs/guides/theming.md'), 'utf8')

const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block ?? '')

test('the guide to theming works as pasted', async () => {
  // A stylesheet URL contains the configured port, so it must be a real one.
  const answers = await followGuide('theming.md', { PORT: String(freePort()) })
  const [set, read, styled, ...rest] = answers
  expect(JSON.parse(set ?? '').data).toMatchObject({
    accent: '#c2410c',
    fontStack: 'SERIF',
    radius: 'LG',
    version: 1,
  })
  expect(JSON.parse(read ?? '').data).toMatchObject({ background: '#fff7ed', version: 1, customCssUrl: null })
  expect(JSON.parse(styled ?? '').data.customCss).toStartWith(':root { --brand: #c2410c }')
  expect(rest.splice(-3)).toEqual(['Lisbon', 'MD', 'null'])
  expect(rest.slice(0, -1).join('\n')).toContain('.tossup .option{border:2px solid var(--brand);')
  const { fields } = JSON.parse(rest.at(-1) ?? '').error.details
  expect(fields.map(({ code, line }: { code: string; line: number }) => `${code} ${line}`)).toEqual(['css_address 1'])
}, 60_000)

test('the stylesheet of the guide is accepted, and its table lists every rule', async () => {
  for (const css of blocks('css')) expect(cssProblems(css)).toEqual([])
  const source = await readFile(join(root, 'server/src/features/themes/css/problems.ts'), 'utf8')
  const known = [...source.matchAll(/^ {2}\| '(css_\w+)'$/gm)].map(([, rule]) => rule ?? '')
  const told = [...guide.matchAll(/^\| `(css_\w+)`/gm)].map(([, rule]) => rule ?? '')
  expect(told.sort()).toEqual(known.sort())
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
