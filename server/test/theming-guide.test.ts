import { expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cssProblems } from '../src/features/themes/css/read-css.ts'
import { followGuide, freePort } from './guides.ts'

const root = new URL('../..', import.meta.url).pathname
const guide = await readFile(join(root, 'docs/guides/theming.md'), 'utf8')

const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block]) => block ?? '')

test('the guide to theming works as pasted', async () => {
  // The address of a stylesheet is made from the port that was asked for: it must be a real one.
  const answers = await followGuide('theming.md', { PORT: String(await freePort()) })
  const [set, read, styled, ...rest] = answers
  expect(JSON.parse(set ?? '').data).toMatchObject({
    accent: '#c2410c',
    fontStack: 'SERIF',
    radius: 'LG',
    version: 1,
  })
  expect(JSON.parse(read ?? '').data).toMatchObject({ background: '#fff7ed', version: 1, customCssUrl: null })
  expect(JSON.parse(styled ?? '').data.customCss).toStartWith(':root { --brand: #c2410c }')
  expect(rest.slice(0, -1).join('\n')).toContain('.tossup .option{border:2px solid var(--brand);')
  const { fields } = JSON.parse(rest.at(-1) ?? '').error.details
  expect(fields.map(({ code, line }: { code: string; line: number }) => `${code} ${line}`)).toEqual(['css_address 1'])
}, 60_000)

test('its stylesheet is taken, and its table names every rule there is', async () => {
  for (const css of blocks('css')) expect(cssProblems(css)).toEqual([])
  const source = await readFile(join(root, 'server/src/features/themes/css/problems.ts'), 'utf8')
  const known = [...source.matchAll(/^ {2}\| '(css_\w+)'$/gm)].map(([, rule]) => rule ?? '')
  const told = [...guide.matchAll(/^\| `(css_\w+)`/gm)].map(([, rule]) => rule ?? '')
  expect(told.sort()).toEqual(known.sort())
})
