import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { typefaceAddress } from '../../embed/src/theme/typeface.ts'
import { newPlace } from '../../server/test/command.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { type BuiltImage, buildImage, run } from '../../server/test/image-build.ts'
import { findProgram } from '../../server/test/programs.ts'

// The same smoke test for each form in which Tossup can be installed: a checkout, one file, the npm package. Each runs in an
// empty folder, as another user than the one who has installed it. The steps of the Dockerfile make the first two.

setDefaultTimeout(240_000)

const ROOT = join(import.meta.dir, '../..')
const MOST_BYTES = 150_000_000
const USER = 10001
/** Lists the files for the image. */
const hasGit = findProgram('git') !== null

interface Form {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

let place: string
let image: BuiltImage
const forms: Record<string, Form> = {}
/** Answers of each form: all must be the same. */
const files: Record<string, readonly string[]> = {}

beforeAll(async () => {
  if (!hasGit) return
  place = await mkdtemp(join(tmpdir(), 'tossup-forms-'))
  await chmod(place, 0o755)
  image = await buildImage()
  await chmod(dirname(image.root), 0o755)
  const installed = join(place, 'installed')
  await mkdir(installed)
  await run([process.execPath, '--no-install', join(ROOT, 'server/tools/build/build.ts'), 'package', place], ROOT)
  const [tarball = ''] = (await readdir(place)).filter((name) => name.endsWith('.tgz'))
  await run(['npm', 'install', '--no-audit', '--no-fund', join(place, tarball)], installed)
  const [word = ''] = image.command
  forms['the binary of the image'] = { command: [join(image.root, 'usr/local/bin', word)], env: image.variables }
  forms['the npm package'] = { command: [join(installed, 'node_modules/.bin/tossup')], env: {} }
  forms['a checkout without development packages'] = {
    command: ['node', join(image.stages['build'] ?? '', 'src/scripts/tossup.mjs')],
    env: {},
  }
})
afterAll(async () => {
  if (place) await rm(place, { recursive: true, force: true })
  if (image) await rm(dirname(image.root), { recursive: true, force: true })
})

/** Command prefix that runs as the user of the image, if this test may switch users. */
const asUser = () =>
  process.getuid?.() === 0 ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : []

/** An empty folder that the user may write. */
async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(place, 'empty-'))
  if (process.getuid?.() === 0) await chown(folder, USER, USER)
  return folder
}

function start(form: Form, words: readonly string[], { cwd, env }: { cwd: string; env: Record<string, string> }) {
  const { PATH = '' } = process.env
  const all = { PATH, HOME: cwd, ...form.env, HOST: '127.0.0.1', ...env }
  return Bun.spawn([...asUser(), ...form.command, ...words], {
    cwd,
    env: all,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

describe.if(hasGit).each(['the binary of the image', 'the npm package', 'a checkout without development packages'])(
  '%s',
  (name) => {
    test('serves, backs up and restores in an empty folder', async () => {
      const form = forms[name]
      if (!form) throw new Error(`${name} was not built`)
      const cwd = await emptyFolder()
      const env = { DATA_DIR: join(cwd, 'data'), PORT: '0', LOG_LEVEL: 'error' }
      const tossup = async (words: string[], settings: Record<string, string> = {}) => {
        const child = start(form, [...words, '--json'], { cwd, env: { ...env, ...settings } })
        const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
        if (code !== 0) throw new Error(`tossup ${words.join(' ')} ended with ${code}: ${stderr}${stdout}`)
        return JSON.parse(stdout) as Record<string, unknown>
      }
      expect(await tossup(['version'])).toMatchObject({ bun: Bun.version })
      expect(await tossup(['migrate'])).toEqual({ applied: expect.arrayContaining(['0001-brands.sql']) })
      const serving = start(form, ['serve', '--json'], {
        cwd,
        env: { ...env, DEMO: 'true', BACKUP_URL: join(cwd, 'backups') },
      })
      const logged = serving.stderr.text()
      try {
        const url = await urlOf(serving.stdout)
        const get = async (path: string, init?: RequestInit) => {
          const answer = await answerOf(url + path, init)
          const bytes = Buffer.from(await answer.arrayBuffer())
          if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${bytes}`)
          return bytes
        }
        const page = (await get('/p/tea-or-coffee')).toString()
        const card = new URL(/og:image" content="([^"]+)/.exec(page)?.[1] ?? '')
        // The server starts processes from its own executable to draw pictures and letters.
        expect((await get(card.pathname + card.search)).subarray(0, 3).toString('hex')).toBe('ffd8ff')
        expect(JSON.parse((await get('/openapi.json')).toString())).toMatchObject({ info: { title: 'Tossup' } })
        const docs = ['/docs/start', '/docs/polls', '/docs/api/votes', '/docs/images/arabic-390.webp', '/favicon.ico']
        const scriptsAndFonts = [
          '/embed.js',
          '/embed/solve.js',
          '/embed/poll.css',
          '/embed/words/de',
          '/embed/parts/dress',
        ]
        const paths = [...docs, ...scriptsAndFonts, typefaceAddress('latin')]
        files[name] = await Promise.all(
          paths.map(async (path) => {
            const hash = createHash('sha256').update(await get(path))
            return `${path} ${hash.digest('hex')}`
          }),
        )
        // Their names depend on the folder in which they are bundled.
        const console = (await get('/console')).toString()
        const parts = [...console.matchAll(/\/console\/assets\/[\w./-]+/g)].map(([path]) => path)
        expect(parts.length).toBeGreaterThan(5)
        await Promise.all(parts.map((path) => get(path)))
        await get('/api/rest/v1/polls/tea-or-coffee/votes', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
          body: '{"option":"A"}',
        })
        await changeTheme(url, await tossup(['app', 'create', '--brand', 'corner-cafe', '--scopes', 'manage']))
        const port = { PORT: new URL(url).port }
        expect(await tossup(['health'], port)).toMatchObject({ isReady: true })
        expect(await tossup(['doctor'], port)).toMatchObject({ isHealthy: true })
        // The server starts this backup from itself.
        await eventually(
          async () =>
            existsSync(join(cwd, 'backups')) &&
            (await readdir(join(cwd, 'backups'))).some((file) => file.endsWith('.tar')),
          { withinMs: 120_000 },
        )
        await tossup(['backup', join(cwd, 'tossup.tar')])
      } finally {
        serving.kill('SIGTERM')
      }
      const errors = (await logged).split('\n').filter((line) => line !== '' && !isOfLateAnswer(line))
      expect([await serving.exited, errors]).toEqual([0, []])
      const elsewhere = { DATA_DIR: join(cwd, 'elsewhere') }
      await tossup(['restore', join(cwd, 'tossup.tar')], elsewhere)
      expect(await tossup(['verify'], elsewhere)).toMatchObject({ isSound: true, counts: { votes: 253 } })
      await expect(tossup(['health'])).rejects.toThrow('ended with 1')
    })

    test.if(engines.includes('postgres'))('serves with workers, and restarts them (needs PostgreSQL)', async () => {
      const form = forms[name]
      if (!form) throw new Error(`${name} was not built`)
      const { settings, clear } = await newPlace('postgres')
      const cwd = await emptyFolder()
      const env = { ...settings, DATA_DIR: join(cwd, 'data'), PORT: '0', LOG_LEVEL: 'info', DATABASE_POOL: '4' }
      const serving = start(form, ['serve', '--workers', '2', '--json'], { cwd, env })
      try {
        const url = await urlOf(serving.stdout)
        serving.kill('SIGUSR2')
        let log = ''
        for await (const bytes of serving.stderr) {
          log += Buffer.from(bytes).toString('utf8')
          if (log.includes('all workers are restarted')) break
        }
        expect(log).toContain('all workers are restarted')
        expect((await answerOf(`${url}/readyz`)).status).toBe(200)
      } finally {
        serving.kill('SIGTERM')
        const code = await serving.exited
        await clear()
        expect(code).toBe(0)
      }
    })
  },
)

test.if(hasGit)('each form serves the same files', () => {
  expect(Object.keys(files)).toEqual(Object.keys(forms))
  const [first, ...others] = Object.values(files)
  for (const other of others) expect(other).toEqual([...(first ?? [])])
})

test.if(hasGit)(
  `the binary has less than ${MOST_BYTES / 1e6} MB, and the image nothing else that is large`,
  async () => {
    const { size } = await stat(join(image.root, 'usr/local/bin/tossup'))
    process.stdout.write(`the binary has ${(size / 1e6).toFixed(1)} MB\n`)
    expect(size).toBeLessThan(MOST_BYTES)
    const all = Number((await run(['du', '-sb', image.root], place)).split('\t')[0])
    expect(all - size).toBeLessThan(1_000_000)
  },
)

test.if(hasGit)('the package depends on bun alone, and has neither tests nor addresses of a registry', async () => {
  const modules = join(place, 'installed/node_modules')
  const names = (await readdir(modules)).filter((name) => !name.startsWith('.'))
  expect(names.sort()).toEqual(['@oven', 'bun', 'tossup'])
  const files = await readdir(join(modules, 'tossup'), { recursive: true })
  expect(files.filter((file) => /\.(?:test|proof)\.|(?:^|\/)(?:src|test)(?:\/|$)|\.ts$/.test(file))).toEqual([])
  for (const file of files.filter((each) => /\.(?:mjs|js|json|md)$/.test(each))) {
    const text = await Bun.file(join(modules, 'tossup', file)).text()
    expect([file, /registry\.npmjs|npmmirror|127\.0\.0\.1:\d{4,5}\/npm/.test(text), text.includes(ROOT)]).toEqual([
      file,
      false,
      false,
    ])
  }
})

test.if(hasGit)('a checkout of a production machine has no development packages', () => {
  const modules = join(image.stages['build'] ?? '', 'src/node_modules')
  expect([existsSync(join(modules, 'kysely')), existsSync(join(modules, 'typescript'))]).toEqual([true, false])
})

/** The first line that `serve --json` prints. */
async function urlOf(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const bytes of output) {
    text += Buffer.from(bytes).toString('utf8')
    if (text.includes('\n')) break
  }
  return (JSON.parse(text) as { url: string }).url
}

/** A stylesheet of a brand is read by a process that the server starts from itself. */
async function changeTheme(url: string, app: Record<string, unknown>): Promise<void> {
  const api = `${url}/api/rest/v1`
  const asked = await fetch(`${api}/auth/token`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-API-Key-ID': String(app['apiKeyId']),
      'X-API-Key-Secret': String(app['apiKeySecret']),
    },
    body: '{"externalDeviceId":"smoke"}',
  })
  const { data } = (await asked.json()) as { data: { accessToken: string } }
  const answer = await answerOf(`${api}/brands/me/theme`, {
    method: 'PATCH',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${data.accessToken}`,
      'X-Service-Idempotency-Key': 'smoke-test',
    },
    body: JSON.stringify({ customCss: '.option { border-radius: 24px }' }),
  })
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('border-radius')])
}

/** The requests that were answered 503, and sent again. */
const late = new Set<string | null>()

const isOfLateAnswer = (line: string): boolean => late.has((JSON.parse(line) as { requestId: string }).requestId)

/** A machine that does other things too answers 503 at first, where a process of the server takes long to start, and logs it. */
const answerOf = (url: string, init?: RequestInit): Promise<Response> =>
  eventually(
    async () => {
      const answer = await fetch(url, init)
      if (answer.status !== 503) return answer
      late.add(answer.headers.get('x-request-id'))
      return null
    },
    { withinMs: 120_000, everyMs: 500 },
  )
