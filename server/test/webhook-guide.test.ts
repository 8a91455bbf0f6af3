import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { findProgram } from './programs.ts'
import { isSignedWith, Receiver } from './receiver.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'
import { createWebhook, deliveriesOf, sendTest, type WebhookData } from './webhooks.ts'

const root = new URL('../..', import.meta.url).pathname

/** How to run each language of the guide. Languages that are not installed are skipped. */
const LANGUAGES = [
  { name: 'ts', file: 'receiver.ts', tool: process.execPath, build: [], run: [process.execPath, 'receiver.ts'] },
  { name: 'python', file: 'receiver.py', tool: 'python3', build: [], run: ['python3', 'receiver.py'] },
  { name: 'go', file: 'receiver.go', tool: 'go', build: ['go', 'build', 'receiver.go'], run: ['./receiver'] },
] as const

const codeOf = async (language: string): Promise<string> => {
  const guide = await readFile(join(root, 'docs/guides/webhooks.md'), 'utf8')
  const code = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1]
  if (!code) throw new Error(`the guide has no receiver in ${language}`)
  return code
}

describe('a receiver of the guide', () => {
  let service: TestService
  let brand: TestBrand
  let folder: string
  beforeAll(async () => {
    const delivery = { delaysMs: Array.from({ length: 100 }, () => 100), pollMs: 50 }
    service = await startTestService('sqlite', { settings: { WEBHOOK_ALLOW_PRIVATE: 'true' }, delivery })
    brand = await service.createBrand()
    folder = await mkdtemp(join(tmpdir(), 'tossup-guide-'))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  })
  afterAll(async () => {
    await service.stop()
    await rm(folder, { recursive: true, force: true })
  })

  async function start({ name, file, build, run }: (typeof LANGUAGES)[number], { secret }: WebhookData, port: number) {
    await writeFile(join(folder, file), await codeOf(name))
    if (build.length > 0) Bun.spawnSync([...build], { cwd: folder, stderr: 'inherit' })
    return Bun.spawn([...run], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdout: 'pipe',
      stderr: 'inherit',
    })
  }

  for (const language of LANGUAGES) {
    test.if(findProgram(language.tool) !== null)(
      `in ${language.name} accepts a signed event once, and refuses everything else`,
      async () => {
        const port = freePort()
        const webhook = await createWebhook(service, brand, {
          url: `http://127.0.0.1:${port}/`,
          events: ['poll.created'],
        })
        const receiver = await start(language, webhook, port)
        const lines = receiver.stdout.getReader()
        let text = ''
        const untilSaid = async (what: string) => {
          while (!text.includes(what)) {
            const { value, done } = await lines.read()
            if (done) throw new Error(`it ended with ${await receiver.exited}: ${text}`)
            text += new TextDecoder().decode(value)
          }
        }
        const sent = await sendTest(service, brand, webhook)
        await untilSaid(`${sent.eventId} webhook.test`)
        await service.createPoll(brand, { title: 'Tea or coffée ☕?' })
        await untilSaid('poll.created')
        await service.write('POST', `brands/me/webhooks/${webhook.id}/rotate-secret`, brand)
        const both = await sendTest(service, brand, webhook)
        await untilSaid(`${both.eventId} webhook.test`)

        // The same request through a recorder, so that the test can alter it.
        const recorder = new Receiver()
        const copy = await createWebhook(service, brand, { url: recorder.url })
        await sendTest(service, brand, copy)
        const [message] = await recorder.untilCount(1)
        if (!message) throw new Error('nothing')
        expect(isSignedWith(message, copy.secret)).toBe(true)
        const post = async (headers: Record<string, string>, body: string): Promise<number> =>
          (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status
        const {
          'webhook-id': id = '',
          'webhook-timestamp': at = '',
          'webhook-signature': signature = '',
        } = message.headers
        const signed = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature }
        expect(await post(signed, message.body)).toBe(401)
        expect(await post({}, message.body)).toBe(401)
        expect(await post({ ...signed, 'webhook-signature': '' }, message.body)).toBe(401)
        const { 'webhook-signature': _, ...unsigned } = signed
        expect(await post(unsigned, message.body)).toBe(401)
        await recorder.stop()

        // An outcome is recorded after the receiver has answered.
        const statuses = async () => (await deliveriesOf(service, brand, webhook.id)).map(({ status }) => status)
        await eventually(async () => !(await statuses()).includes('pending'))
        expect(await statuses()).toEqual(['succeeded', 'succeeded', 'succeeded'])
        receiver.kill()
        await receiver.exited
        expect(text.trim().split('\n')).toHaveLength(3)
      },
      60_000,
    )
  }
})
