import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { engines, redisUrl } from './engines.ts'

setDefaultTimeout(600_000)

const root = join(import.meta.dir, '../..')
const SUITES = ['votes', 'tokens', 'campaigns', 'uploads', 'webhooks'].map((name) => `server/test/${name}.test.ts`)

test.skipIf(!engines.includes('postgres') || redisUrl === null)(
  'two servers with a common database, Redis and S3, and no common folder, pass the tests of one',
  async () => {
    const command = ['node', 'scripts/test.mjs', ...SUITES, '-t', '^postgres']
    const env = { ...process.env, TEST_SERVERS: '2' }
    const child = Bun.spawn(command, { cwd: root, env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
    const output = await new Response(child.stdout).text()
    expect({ code: await child.exited, output }).toMatchObject({ code: 0 })
  },
)
