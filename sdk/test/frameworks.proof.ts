import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuiltPackage, buildPackage, root, run, tsc } from './built-package.ts'

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  jsx: 'react-jsx',
  types: [],
  noEmit: true,
  verbatimModuleSyntax: true,
}

let built: BuiltPackage
let guide: string

beforeAll(async () => {
  built = await buildPackage()
  guide = await readFile(join(root, 'docs/guides/frameworks.md'), 'utf8')
}, 180_000)

afterAll(() => built.clear())

const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code)

/** A project with these packages of the repository and no others. */
async function project(name: string, files: Record<string, string>, packages: readonly string[]): Promise<string> {
  const folder = join(built.place, name)
  const modules = join(folder, 'node_modules')
  // Copied, because a link would find its packages beside its target.
  await cp(built.home, join(modules, '@tossup/sdk'), { recursive: true })
  for (const each of packages) {
    await mkdir(join(modules, each, '..'), { recursive: true })
    await symlink(join(root, 'node_modules', each), join(modules, each))
  }
  const config = JSON.stringify({ compilerOptions: OPTIONS, include: ['*'] })
  for (const [file, text] of Object.entries({
    ...files,
    'tsconfig.json': config,
    'package.json': '{"type": "module"}',
  }))
    await writeFile(join(folder, file), text)
  return folder
}

const FINE = { output: '', code: 0 }
const node = process.execPath

const DOM = `import type { TossupEvents } from '@tossup/sdk/elements'
const poll = document.querySelector('tossup-poll')
poll?.addEventListener('tossup:voted', ({ detail }) => console.log(detail.tallies.total satisfies number))
document.addEventListener('tossup-error', ({ detail }) => console.log(detail.code satisfies string))
document.createElement('tossup-campaign').addEventListener('tossup-step', (event: TossupEvents['tossup-step']) => event.detail.totalSteps)
// @ts-expect-error: no such field
document.addEventListener('tossup-voted', ({ detail }) => detail.count)
`

test('the elements are typed for the DOM where no framework is installed, with every check of the compiler', async () => {
  const folder = await project('dom', { 'dom.ts': DOM }, [])
  expect(await run([node, tsc, '-p', folder], folder)).toEqual(FINE)
}, 180_000)

const WRONG_TSX = `import type {} from '@tossup/sdk/elements'
// @ts-expect-error: no such theme
export const Wrong = () => <tossup-poll poll="x" theme="blue" />
// @ts-expect-error: without a poll
export const Empty = () => <tossup-poll />
`

test('the recipes for Next.js and TSX compile, and wrong attributes do not', async () => {
  const [next = '', tsx = ''] = blocksOf('tsx')
  const files = { 'next.tsx': next, 'vote.tsx': tsx, 'wrong.tsx': WRONG_TSX }
  const folder = await project('tsx', files, ['react', '@types/react', 'csstype'])
  expect(await run([node, tsc, '-p', folder], folder)).toEqual(FINE)
}, 180_000)

const WRONG_VUE = `<script setup lang="ts">
import type {} from '@tossup/sdk/elements'
</script>
<template>
  <!-- @vue-expect-error: no such theme -->
  <tossup-poll poll="x" theme="blue" />
</template>
`

test('the recipe for Vue compiles, and wrong attributes do not', async () => {
  const [vue = ''] = blocksOf('vue')
  const folder = await project('vue', { 'poll.vue': vue, 'wrong.vue': WRONG_VUE }, ['vue', '@vue', 'csstype'])
  expect(await run([node, join(root, 'node_modules/vue-tsc/bin/vue-tsc.js'), '-p', folder], folder)).toEqual(FINE)
}, 180_000)

const WRONG_SVELTE = `<script lang="ts">
  import type {} from '@tossup/sdk/elements'
</script>
<tossup-poll poll="x" theme="blue"></tossup-poll>
`

test('the recipe for Svelte compiles, and wrong attributes do not', async () => {
  const [svelte = ''] = blocksOf('svelte')
  const folder = await project('svelte', { 'poll.svelte': svelte, 'wrong.svelte': WRONG_SVELTE }, ['svelte'])
  const check = join(root, 'node_modules/svelte-check/bin/svelte-check')
  const { output } = await run(
    ['node', check, '--tsconfig', './tsconfig.json', '--output', 'machine', '--fail-on-warnings'],
    folder,
  )
  expect(output.match(/ ERROR ".*/g)).toEqual([expect.stringContaining('"wrong.svelte" 4:23 "Type')])
}, 180_000)
