import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { findProgram } from '../../server/test/programs.ts'
import { startTestService, type TestService } from '../../server/test/service.ts'
import { type BuiltPackage, buildPackage, earlierTsc, root, run, tsc } from './built-package.ts'

const sdk = join(root, 'sdk')

/** The names of the folder, the entry points and their files: the same for both builds. */
const ENTRY_POINTS = ['', '/visitor', '/vote-queue', '/webhooks', '/verify', '/react', '/elements'] as const

/** Runtimes that are not installed are skipped. */
const RUNTIMES = [
  { name: 'Node', command: ['node'] },
  { name: 'Bun', command: [process.execPath] },
  { name: 'Deno', command: ['deno', 'run', '--allow-net'] },
] as const

/** The programs in a guide. */
async function blocksOf(guide: string): Promise<string[]> {
  const text = await Bun.file(join(root, guide)).text()
  return [...text.matchAll(/```tsx?\n([\s\S]*?)```/g)].map(([, code = '']) => code)
}

const USES = `import { isTossupError, memoryStore, Tossup, verifyWebhook, VoteQueue, type Poll } from '@tossup/sdk'
import { Visitor } from '@tossup/sdk/visitor'
import { Poll as ReactPoll } from '@tossup/sdk/react'
export const read = async (visitor: Visitor): Promise<Poll> => visitor.getPoll('x')
export const told = (error: unknown) => (isTossupError(error, 'POLST_CLOSED') ? error.details.status : null)
// @ts-expect-error: there is no third option
export const wrong = (tossup: Tossup) => tossup.castVote('x', 'C')
export const all = [memoryStore, verifyWebhook, VoteQueue, ReactPoll]
`

/** Loads the entry point with that name. */
const SAME_CLASSES = `async function main() {
  const [root, visitor, queue, webhooks, , react] = await Promise.all(${JSON.stringify(ENTRY_POINTS)}.map(load))
  const failed = await new visitor.Visitor({ url: 'http://127.0.0.1:9', retries: 0 }).getPoll('x').catch((error) => error)
  const forged = await webhooks.verifyWebhook({ body: '', headers: {}, secret: 'whsec_eA==' }).catch((error) => error)
  const isOurs = failed instanceof root.TossupError && failed instanceof visitor.TossupError && queue.mayArriveLater(failed)
  console.log(isOurs, forged instanceof root.WebhookError, root.VoteQueue === queue.VoteQueue, typeof react.Poll)
}
main()`

const BOTH_BUILDS = `import { createRequire } from 'node:module'
import * as modules from '@tossup/sdk'
const common = createRequire(import.meta.url)('@tossup/sdk')
for (const [mine, other] of [[modules, common], [common, modules]]) {
  const failed = await new other.Visitor({ url: 'http://127.0.0.1:9', retries: 0 }).getPoll('x').catch((error) => error)
  console.log(
    mine.isTossupError(failed, 'NETWORK_ERROR'),
    mine.isTossupError(failed, 'TIMEOUT'),
    mine.isTossupError(Object.assign(new Error('x'), { code: 'NETWORK_ERROR' })),
    failed instanceof mine.TossupError,
  )
}`

describe('the package, as it is published', () => {
  let service: TestService
  let built: BuiltPackage
  let place: string
  let home: string

  beforeAll(async () => {
    service = await startTestService('sqlite')
    built = await buildPackage()
    place = built.place
    home = built.home
  }, 120_000)

  afterAll(async () => {
    await service.stop()
    await built.clear()
  })

  test('holds its sources, what was built of them, and nothing else', async () => {
    const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
    const paths = files.map((entry) => relative(home, join(entry.parentPath, entry.name)))
    const sources = (await readdir(join(sdk, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts'))
    const made = sources.flatMap((file) => {
      const name = file.replace(/\.ts$/, '')
      return [`src/${file}`, ...['js', 'd.ts', 'cjs', 'd.cts'].map((extension) => `dist/${name}.${extension}`)]
    })
    const folders = ENTRY_POINTS.filter((entry) => entry !== '').map((entry) => `${entry.slice(1)}/package.json`)
    const wanted = ['LICENSE', 'README.md', 'custom-elements.json', 'package.json', ...folders, ...made]
    expect(paths.sort()).toEqual(wanted.sort())
    expect(await Bun.file(join(home, 'LICENSE')).text()).toBe(await Bun.file(join(root, 'LICENSE')).text())
    // The directive that lets server components use the parts that run in a browser.
    expect(await Bun.file(join(home, 'dist/react/index.js')).text()).toStartWith("'use client';\n")
    expect(await Bun.file(join(home, 'dist/react/index.cjs')).text()).toStartWith(`"use strict";\n'use client';\n`)
    const { size } = Bun.file(built.tarball)
    expect(size).toBeLessThan(230_000)
  })

  for (const { name, command } of RUNTIMES) {
    test.if(findProgram(command[0]) !== null)(
      `votes in ${name}`,
      async () => {
        const poll = await service.createPoll(await service.createBrand())
        const script = `import { isTossupError, Visitor } from '@tossup/sdk'
          const visitor = new Visitor({ url: '${service.service.url}' })
          const { tallies } = await visitor.castVote('${poll.shortId}', 'A')
          const again = await visitor.castVote('${poll.shortId}', 'B').catch((error) => error)
          console.log(JSON.stringify([tallies, isTossupError(again, 'VOTE_ALREADY_CAST'), again.details.existingVote.option]))
          for await (const { tallies } of visitor.watchTallies('${poll.slug}')) {
            console.log(tallies.total)
            break
          }`
        await writeFile(join(place, 'vote.js'), script)
        const { output, code } = await run([...command, 'vote.js'], place)
        expect(output.trim().split('\n')).toEqual(['[{"optionA":1,"optionB":0,"total":1},true,"A"]', '1'])
        expect(code).toBe(0)
      },
      60_000,
    )
  }

  test.each([
    ['ES modules', 'classes.mjs', "const load = (entry) => import('@tossup/sdk' + entry)"],
    ['CommonJS', 'classes.cjs', "const load = async (entry) => require('@tossup/sdk' + entry)"],
  ])('as %s, has each class once for all entry points', async (_, file, load) => {
    await writeFile(join(place, file), `${load}\n${SAME_CLASSES}`)
    expect(await run(['node', file], place)).toEqual({ output: 'true true true function\n', code: 0 })
  })

  test('recognises an error of its other build by isTossupError, and not by instanceof', async () => {
    await writeFile(join(place, 'both.mjs'), BOTH_BUILDS)
    expect(await run(['node', 'both.mjs'], place)).toEqual({ output: 'true false false false\n'.repeat(2), code: 0 })
  })

  test.each([
    {
      how: 'node10',
      files: ['uses.ts'],
      module: 'commonjs',
      more: ['--ignoreDeprecations', '6.0'],
      compiler: earlierTsc,
    },
    { how: 'node16', files: ['uses.cts', 'uses.mts'], module: 'node16', more: [], compiler: tsc },
    { how: 'nodenext', files: ['uses.cts', 'uses.mts'], module: 'nodenext', more: [], compiler: tsc },
    { how: 'bundler', files: ['uses.ts'], module: 'esnext', more: [], compiler: tsc },
  ])(
    'has types that a program finds by $how, with every check of the compiler',
    async ({ how, files, module, more, compiler }) => {
      for (const file of files) await writeFile(join(place, file), USES)
      const shown = [await blocksOf('docs/guides/sdk.md'), await blocksOf('sdk/README.md')].flat()
      expect(shown.length).toBeGreaterThan(5)
      const guides = shown.map((_, index) => `shown-${index}.tsx`)
      for (const [index, code] of shown.entries()) await writeFile(join(place, guides[index] ?? ''), code)
      await mkdir(join(place, 'node_modules/@types'), { recursive: true })
      for (const name of ['@types/react', 'csstype']) {
        await cp(join(root, 'node_modules', name), join(place, 'node_modules', name), { recursive: true })
      }
      const flags = [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        // The libraries of the compiler itself, which take longer than the package.
        '--skipDefaultLibCheck',
        '--target',
        'es2022',
        '--lib',
        'es2023,dom',
      ]
      // A guide uses top-level await, which CommonJS does not have.
      const programs = module === 'commonjs' ? files : [...files, ...guides]
      const where = ['--module', module, '--moduleResolution', how, '--jsx', 'react-jsx', ...more, ...programs]
      expect(await run([process.execPath, compiler, ...flags, ...where], place)).toEqual({ output: '', code: 0 })
    },
    180_000,
  )
})
