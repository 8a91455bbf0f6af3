import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT, readDocument } from './documents.ts'
import { freePort } from './free-port.ts'
import { openapiFile } from './openapi-check.ts'
import { Receiver } from './receiver.ts'
import { accessOf, startTestService, type TestService } from './service.ts'

const tsc = join(ROOT, 'node_modules/typescript-native/bin/tsc')
const [ofOpenApiFetch = '', ofHeyApi = ''] = [
  ...readDocument('docs/guides/clients.md').matchAll(/^```ts\n([\s\S]*?)^```$/gm),
].map(([, code = '']) => code)

const document = openapiFile.pathname
const folderOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))

let service: TestService
let receiver: Receiver
let place: string

beforeAll(async () => {
  const settings = { PORT: String(freePort()), WEBHOOK_ALLOW_PRIVATE: 'true' }
  service = await startTestService('sqlite', { settings })
  receiver = new Receiver()
  place = await mkdtemp(join(tmpdir(), 'tossup-clients-'))
  await symlink(join(ROOT, 'node_modules'), join(place, 'node_modules'))
  await cp(join(ROOT, 'server/src/cli/demo/tea.webp'), join(place, 'picture.webp'))
  await writeFile(join(place, 'package.json'), '{"type": "module"}')
})

afterAll(async () => {
  await service.stop()
  await receiver.stop()
  await rm(place, { recursive: true, force: true })
})

async function run(command: string[], env: Record<string, string> = {}): Promise<string> {
  const child = Bun.spawn(command, { cwd: place, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`${command.join(' ')}: ${output}${errors}`)
  return output
}

test.each([
  {
    client: 'openapi-typescript with openapi-fetch',
    generate: [join(folderOf('openapi-typescript'), 'bin/cli.js'), document, '-o', 'schema.d.ts'],
    program: ofOpenApiFetch,
  },
  {
    client: '@hey-api/openapi-ts',
    generate: [join(folderOf('@hey-api/openapi-ts'), 'bin/run.js'), '-i', document, '-o', 'tossup'],
    program: ofHeyApi,
  },
])(
  'the program of the guide compiles with the client of $client, and carries out a whole flow',
  async ({ generate, program }) => {
    await run(['node', ...generate])
    const file = 'flow.ts'
    await writeFile(join(place, file), program)
    const flags =
      '--noEmit --strict --target es2023 --module esnext --moduleResolution bundler --allowImportingTsExtensions'
    const types = ['--types', 'bun-types', '--lib', 'es2023,dom,dom.iterable', '--skipDefaultLibCheck']
    await run(['node', tsc, ...flags.split(' '), ...types, file])
    const app = await service.createBrand()
    const env = {
      ...accessOf(service.service.url.replace(/\/$/, ''), app),
      WEBHOOK_URL: receiver.url,
    }
    const lines = (await run([process.execPath, file], env)).trim().split('\n')
    expect(lines).toEqual([
      'voted before: A',
      expect.stringMatching(/^Drinks, [\w-]{12}: 1 to 0, 0 drafts$/),
      'sends webhook.test',
    ])
    const [poll] = (await service.get<{ slug: string; optionA: unknown }[]>('brands/me/polls', { token: app.token }))
      .body.data
    expect(poll?.optionA).toMatchObject({ imageUrl: expect.stringContaining('/files/'), imageAlt: 'A cup of tea' })
    await receiver.until((received) => received.some(({ payload }) => payload.type === 'webhook.test'))
    expect(receiver.fault).toBeNull()
    receiver.received.length = 0
  },
  120_000,
)
