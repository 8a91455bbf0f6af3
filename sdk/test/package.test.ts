import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { startTestService, type TestService } from '../../server/test/service.ts'
import { type BuiltPackage, buildPackage, root, run, tsc } from './built-package.ts'

const sdk = join(root, 'sdk')

/** Those that this machine does not have are skipped. */
const RUNTIMES = [
  { name: 'Node', command: ['node'] },
  { name: 'Bun', command: [process.execPath] },
  { name: 'Deno', command: ['deno', 'run', '--allow-net'] },
] as const

/** The programs that a guide shows. */
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

  test('has nothing that publint minds', async () => {
    const { messages } = await publint({ pkgDir: home, level: 'suggestion', strict: true, pack: false })
    const pkg = await Bun.file(join(home, 'package.json')).json()
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
  })

  test('holds its sources, what was built of them, and nothing else', async () => {
    const { output } = await run(['npm', 'pack', '--dry-run', '--json', '--ignore-scripts'], home)
    const [{ files }] = JSON.parse(output) as [{ files: { path: string }[] }]
    const sources = (await readdir(join(sdk, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts'))
    const made = sources.flatMap((file) => {
      const name = file.replace(/\.ts$/, '')
      return [`src/${file}`, `dist/${name}.js`, `dist/${name}.d.ts`]
    })
    const wanted = ['LICENSE', 'README.md', 'package.json', ...made]
    expect(files.map(({ path }) => path).sort()).toEqual(wanted.sort())
    expect(await Bun.file(join(home, 'LICENSE')).text()).toBe(await Bun.file(join(root, 'LICENSE')).text())
    // What lets a page of server components show the parts that run in a browser.
    expect(await Bun.file(join(home, 'dist/react/index.js')).text()).toStartWith("'use client';\n")
  })

  for (const { name, command } of RUNTIMES) {
    const isThere = Bun.which(command[0]) !== null
    if (!isThere) process.stderr.write(`${command[0]} is not there: the test of the package in ${name} is skipped\n`)
    test.skipIf(!isThere)(
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
      30_000,
    )
  }

  test.each(['nodenext', 'bundler'])(
    'has types that a program finds by %s, with every check of the compiler',
    async (how) => {
      await writeFile(join(place, 'uses.ts'), USES)
      const shown = [await blocksOf('docs/guides/sdk.md'), await blocksOf('sdk/README.md')].flat()
      expect(shown.length).toBeGreaterThan(5)
      const files = shown.map((_, index) => `shown-${index}.tsx`)
      for (const [index, code] of shown.entries()) await writeFile(join(place, files[index] ?? ''), code)
      await mkdir(join(place, 'node_modules/@types'), { recursive: true })
      for (const name of ['@types/react', 'csstype']) {
        await cp(join(root, 'node_modules', name), join(place, 'node_modules', name), { recursive: true })
      }
      const module = how === 'nodenext' ? 'nodenext' : 'esnext'
      const flags = [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--target',
        'es2022',
        '--lib',
        'es2023,dom',
      ]
      const where = ['--module', module, '--moduleResolution', how, '--jsx', 'react-jsx', 'uses.ts', ...files]
      expect(await run([process.execPath, tsc, ...flags, ...where], place)).toEqual({ output: '', code: 0 })
    },
    60_000,
  )
})
