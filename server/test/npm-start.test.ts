import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { NODE, newClone, spawnIn } from './bare-clone.ts'

// npm starts slowly on a busy machine.
setDefaultTimeout(60_000)

const KILLED = 128 + 9

interface Lockfile {
  packages: Record<string, { dev?: boolean; optional?: boolean; devOptional?: boolean }>
}

/** A folder for PATH with Node and an npm of our own, which writes its arguments to `npm-was-called`. */
async function fakeNpm(folder: string, script: string): Promise<string> {
  const path = join(folder, 'path')
  await mkdir(path, { recursive: true })
  await symlink(NODE, join(path, 'node')).catch(() => undefined)
  await writeFile(join(path, 'npm'), `#!/bin/sh\necho "$@" >> '${folder}/npm-was-called'\n${script}\n`, { mode: 0o755 })
  return `${path}:/bin:/usr/bin`
}

/** Takes the place of Bun: the launcher accepts every file that is large enough. */
async function fakeBun(folder: string, script: string): Promise<void> {
  const path = join(folder, 'node_modules/bun/bin/bun.exe')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\n${script}\nexit\n${'#'.repeat(1_100_000)}\n`, { mode: 0o755 })
}

/** Npm's own record after `npm ci --omit=dev`. */
async function recordProduction(folder: string): Promise<void> {
  const { packages } = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8')) as Lockfile
  const kept = Object.entries(packages).filter(
    ([path, { dev, optional, devOptional }]) => path.includes('node_modules/') && !dev && !optional && !devOptional,
  )
  await writeFile(
    join(folder, 'node_modules/.package-lock.json'),
    JSON.stringify({ packages: Object.fromEntries(kept) }),
  )
}

async function run(command: string[], cwd: string, env: Record<string, string>) {
  const child = spawnIn(cwd, command, env)
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

describe('npm start in a new clone', () => {
  let clone: string
  beforeAll(async () => {
    clone = await newClone()
  })
  afterAll(() => rm(clone, { recursive: true, force: true }))

  const start = (env: Record<string, string>) => run([NODE, 'scripts/start.mjs'], clone, env)
  const called = () => readFile(join(clone, 'npm-was-called'), 'utf8')

  test('shows what npm says, its exit code, and that it is killed or not there', async () => {
    const refused = await start({
      PATH: await fakeNpm(clone, "echo 'npm error Your cache belongs to root' >&2\nexit 243"),
    })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      'Installing…\nnpm error Your cache belongs to root\ntossup: npm ci failed with exit code 243\n',
    ])
    const killed = await start({ PATH: await fakeNpm(clone, 'kill -9 $$') })
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining('was killed by SIGKILL')])
    const missing = await start({ PATH: join(clone, 'nowhere') })
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('tossup: cannot start npm: ')])
  })

  test('installs no development packages, unless they are there already and are not unwanted', async () => {
    const PATH = await fakeNpm(clone, 'exit 0')
    await rm(join(clone, 'npm-was-called'), { force: true })
    const outdated = JSON.stringify({ packages: { 'node_modules/x': { version: '1.0.0', dev: true } } })
    for (const record of [null, outdated]) {
      for (const env of [{}, { NODE_ENV: 'production' }, { npm_config_omit: 'dev' }]) {
        await mkdir(join(clone, 'node_modules'), { recursive: true })
        if (record) await writeFile(join(clone, 'node_modules/.package-lock.json'), record)
        const { stderr } = await start({ PATH, ...env })
        expect(stderr).toContain('node_modules has no Bun binary')
        await rm(join(clone, 'node_modules'), { recursive: true, force: true })
      }
    }
    const options = (await called()).match(/^ci --(?:include|omit)=dev/gm)
    const omitted = 'ci --omit=dev'
    expect(options).toEqual([omitted, omitted, omitted, 'ci --include=dev', omitted, omitted])
  })
})

describe('npm start after npm ci --omit=dev', () => {
  let clone: string
  beforeAll(async () => {
    clone = await newClone()
    await fakeBun(clone, 'echo "started $@"')
    await recordProduction(clone)
  })
  afterAll(() => rm(clone, { recursive: true, force: true }))

  test('starts, and installs nothing; a command for development adds the rest, beside a server that may run', async () => {
    const PATH = await fakeNpm(clone, 'exit 1')
    for (let i = 0; i < 2; i++) {
      const { code, stdout, stderr } = await run([NODE, 'scripts/start.mjs'], clone, { PATH })
      expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^started .*main\.ts serve\n$/)])
    }
    const { stderr } = await run([NODE, 'scripts/check.mjs'], clone, { PATH })
    expect(stderr).toContain('npm install failed')
    expect(await readFile(join(clone, 'npm-was-called'), 'utf8')).toMatch(/^install --no-save --include=dev .*\n$/)
  })

  test('uses all cores with PostgreSQL and Redis, unless the number of processes is given', async () => {
    const DATABASE_URL = 'postgres://db.example.com/tossup'
    const REDIS_URL = 'redis://redis.example.com'
    const started = async (env: Record<string, string>, ...words: string[]) => {
      const PATH = await fakeNpm(clone, 'exit 1')
      const { stdout } = await run([NODE, 'scripts/start.mjs', ...words], clone, { PATH, ...env })
      return /main\.ts serve\s?(.*)\n$/.exec(stdout)?.[1]
    }
    expect(await started({ DATABASE_URL, REDIS_URL })).toBe('--workers auto')
    expect(await started({ DATABASE_URL })).toBe('')
    expect(await started({ REDIS_URL })).toBe('')
    expect(await started({ DATABASE_URL, REDIS_URL }, '--workers', '3')).toBe('--workers 3')
    expect(await started({ DATABASE_URL, REDIS_URL }, '--workers=3')).toBe('--workers=3')
    expect(await started({ DATABASE_URL, REDIS_URL }, '--role', 'worker')).toBe('--role worker')
  })

  test('a server that is killed leaves a word under npm', async () => {
    await fakeBun(clone, 'kill -9 $$')
    const { code, stderr } = await run(['npm', 'start'], clone, { PATH: process.env['PATH'] ?? '' })
    expect([code, stderr]).toEqual([KILLED, expect.stringMatching(/^The process was killed by SIGKILL, .+\n$/)])
  })
})
