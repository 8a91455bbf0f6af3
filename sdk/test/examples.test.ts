import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { newPlace, type Place, type Serving, serve } from '../../server/test/command.ts'
import { freePort } from '../../server/test/guides.ts'
import { complaintsOf } from '../../server/test/host-site.ts'
import { type BuiltPackage, buildPackage, root, run } from './built-package.ts'

const SERVICE = 'http://127.0.0.1:3000'

describe('an example, beside a server with the demo', () => {
  let built: BuiltPackage
  let place: Place
  let server: Serving
  let browser: Browser | null = null

  beforeAll(async () => {
    built = await buildPackage()
    place = await newPlace('sqlite')
    server = await serve({ ...place.settings, DEMO: 'true', PORT: String(await freePort()) })
    if (hasChromium) browser = await openBrowser()
  }, 120_000)

  afterAll(async () => {
    await browser?.close()
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
    await built.clear()
  })

  /** As it lies there, but for the address of the service. */
  async function copyOf(example: string, file: string): Promise<string> {
    const folder = join(built.place, example)
    await cp(join(root, 'examples', example), folder, { recursive: true })
    const text = await readFile(join(folder, file), 'utf8')
    expect(text).toContain(SERVICE)
    await writeFile(join(folder, file), text.replaceAll(SERVICE, server.url))
    return folder
  }

  async function votesFor(poll: string): Promise<[a: number, b: number]> {
    const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/tallies`)
    const { data } = (await response.json()) as { data: { tallies: { optionA: number; optionB: number } } }
    return [data.tallies.optionA, data.tallies.optionB]
  }

  async function open(url: string): Promise<{ page: Page; complaints: string[] }> {
    if (!browser) throw new Error('there is no browser')
    const page = await (await browser.newContext()).newPage()
    const complaints = complaintsOf(page)
    await page.goto(url)
    return { page, complaints }
  }

  test('in Node votes, is refused, and counts', async () => {
    const folder = join(built.place, 'node')
    await cp(join(root, 'examples/node'), folder, { recursive: true })
    const { apiKeyId = '', apiKeySecret = '' } = server.said.demo ?? {}
    const { output, code } = await run(['node', 'make-a-poll.js', server.url, apiKeyId, apiKeySecret], folder)
    const [title, ...lines] = output.trim().split('\n')
    expect(title).toStartWith('Where shall we eat? http')
    expect(lines).toEqual([
      'A second vote is refused: the first was A',
      'vote 3: A',
      'vote 2: B',
      'vote 1: A',
      '2 to 1',
    ])
    expect(code).toBe(0)
  }, 30_000)

  test.skipIf(!hasChromium)(
    'in HTML, opened as a file, votes in its element and in its frame',
    async () => {
      const [tea, coffee] = await votesFor('tea-or-coffee')
      const [windows, aisles] = await votesFor('window-or-aisle')
      const { page, complaints } = await open(`file://${await copyOf('html', 'index.html')}/index.html`)
      await page.locator('tossup-poll [data-option="B"]').click()
      await page.getByText(`B, one of ${tea + coffee + 1}`).waitFor()
      expect(await page.locator('tossup-poll .share').count()).toBe(2)
      const frame = page.frameLocator('iframe')
      await frame.locator('[data-option="A"]').click()
      await page.getByText(`A, one of ${windows + aisles + 1}`).waitFor()
      const height = await page.evaluate<number>(`document.querySelector('iframe').clientHeight`)
      const needed = await page.frames()[1]?.evaluate<number>('document.documentElement.offsetHeight')
      expect(height).toBe(needed ?? 0)
      expect(await votesFor('tea-or-coffee')).toEqual([tea, coffee + 1])
      expect(await votesFor('window-or-aisle')).toEqual([windows + 1, aisles])
      expect(complaints).toEqual([])
    },
    30_000,
  )

  test.skipIf(!hasChromium)(
    'in React, started as its package says, votes in the poll of every embed and in one of its own',
    async () => {
      const folder = await copyOf('react', 'app.jsx')
      const { scripts } = await Bun.file(join(folder, 'package.json')).json()
      const command = scripts.start.replace(/^bun /, `${process.execPath} `).replace('--port=4000', '--port=0')
      const bundler = Bun.spawn(command.split(' '), { cwd: folder, stdout: 'pipe', stderr: 'inherit' })
      try {
        const { page, complaints } = await open(await addressIn(bundler.stdout))
        const [tea, coffee] = await votesFor('tea-or-coffee')
        const [mountains, sea] = await votesFor('mountains-or-sea')
        await page.locator('tossup-poll [data-option="A"]').click()
        await page.getByText(`A, one of ${tea + coffee + 1}`).waitFor()
        expect(await page.locator('tossup-poll .share').count()).toBe(2)
        await page.getByRole('button', { name: 'Sea' }).click()
        await page.getByText(`${mountains} to ${sea + 1}`).waitFor()
        expect(await votesFor('tea-or-coffee')).toEqual([tea + 1, coffee])
        expect(await votesFor('mountains-or-sea')).toEqual([mountains, sea + 1])
        expect(complaints).toEqual([])
      } finally {
        bundler.kill()
        await bundler.exited
      }
    },
    30_000,
  )
})

/** What a server says of itself before it goes on. */
async function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of output) {
    text += new TextDecoder().decode(part)
    const [address] = text.match(/http:\/\/localhost:\d+\//) ?? []
    if (address) return address
  }
  throw new Error(`it ended without an address: ${text}`)
}
