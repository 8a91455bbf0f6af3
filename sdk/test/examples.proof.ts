import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { sharesIn } from '../../embed/src/results.ts'
import { hasChromium, openBrowser } from '../../embed/test/browser.ts'
import { newPlace, type Place, type Serving, serve } from '../../server/test/command.ts'
import { eventually } from '../../server/test/eventually.ts'
import { FakeDiscord, TOKEN } from '../../server/test/fake-discord.ts'
import { freePort } from '../../server/test/free-port.ts'
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
    server = await serve({ ...place.settings, DEMO: 'true', PORT: String(freePort()) })
    if (hasChromium) browser = await openBrowser()
  }, 120_000)

  afterAll(async () => {
    await browser?.close()
    server.kill('SIGTERM')
    await server.ended
    await place.clear()
    await built.clear()
  })

  /** Unchanged except for the URL of the service. */
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

  /** The type of a card, once it is drawn: on a busy machine the first one may take longer than a request, which gets 503. */
  const cardAt = (url: string): Promise<string | null> =>
    eventually(
      async () => {
        const { status, headers } = await fetch(url)
        return status === 200 && headers.get('Content-Type')
      },
      { withinMs: 60_000 },
    )

  async function open(url: string): Promise<{ page: Page; complaints: string[] }> {
    if (!browser) throw new Error('there is no browser')
    const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage()
    const complaints = complaintsOf(page)
    await page.goto(url)
    return { page, complaints }
  }

  test('in Node votes, is refused a second vote, and reads the counts', async () => {
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
  })

  test.skipIf(!hasChromium)('in HTML, opened as a file, votes in its element and in its frame', async () => {
    const [tea, coffee] = await votesFor('tea-or-coffee')
    const [windows, aisles] = await votesFor('window-or-aisle')
    const { page, complaints } = await open(`file://${await copyOf('html', 'index.html')}/index.html`)
    await page.locator('tossup-poll [data-option="B"]').click()
    await page.getByText(`B, one of ${tea + coffee + 1}`).waitFor()
    expect(await page.locator('tossup-poll .share').count()).toBe(2)
    const frame = page.frameLocator('iframe')
    await frame.locator('[data-option="A"]').click()
    await page.getByText(`A, one of ${windows + aisles + 1}`).waitFor()
    // The frame says its height in a message, which may arrive after that of the vote.
    await eventually(async () => {
      const height = await page.evaluate<number>(`document.querySelector('iframe').clientHeight`)
      return height === (await page.frames()[1]?.evaluate<number>('document.documentElement.offsetHeight'))
    })
    expect(await votesFor('tea-or-coffee')).toEqual([tea, coffee + 1])
    expect(await votesFor('window-or-aisle')).toEqual([windows + 1, aisles])
    // Chromium on Linux has no share dialog.
    expect(complaints.filter((each) => each !== "Unrecognized feature: 'web-share'.")).toEqual([])
  })

  test.skipIf(!hasChromium)(
    'in React, started as its package says, votes in every embedded poll and in a poll that it draws itself',
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
        await page.getByRole('button', { name: 'Sea', exact: true }).click()
        await page.getByText(`${mountains} to ${sea + 1}`).waitFor()
        expect(await votesFor('tea-or-coffee')).toEqual([tea + 1, coffee])
        expect(await votesFor('mountains-or-sea')).toEqual([mountains, sea + 1])
        expect(complaints).toEqual([])
      } finally {
        bundler.kill()
        await bundler.exited
      }
    },
  )

  test.skipIf(!hasChromium)(
    'in a newsletter shows the picture of the poll, and leads to the page where it is voted on',
    async () => {
      const [tea, coffee] = await votesFor('tea-or-coffee')
      const folder = await copyOf('newsletter', 'newsletter.html')
      await cardAt(`${server.url}/p/tea-or-coffee/card.jpg`)
      const { page, complaints } = await open(`file://${folder}/newsletter.html`)
      const [width, alt] = await page.evaluate<[number, string]>(
        `(async () => { const image = document.querySelector('img'); await image.decode(); return [image.naturalWidth, image.alt] })()`,
      )
      expect([width, alt]).toEqual([1200, 'Tea or coffee? Vote here.'])
      const links = await page.evaluate<string[]>('[...document.links].map(({ href }) => href)')
      expect(links).toHaveLength(2)
      for (const link of links) expect((await fetch(link)).status).toBe(200)
      expect(complaints).toEqual([])
      await page.locator('a:has(img)').click()
      await page.locator('[data-option="A"]').click()
      await page.locator('article[data-state~="results"]').waitFor()
      await eventually(async () => (await votesFor('tea-or-coffee'))[0] === tea + 1)
      expect(await votesFor('tea-or-coffee')).toEqual([tea + 1, coffee])
    },
  )

  test.skipIf(!hasChromium)(
    'on a stage shows the code to vote, grows with each vote, fits two screens, and names a poll that is missing',
    async () => {
      const folder = await copyOf('stage', 'stage.js')
      const { page, complaints } = await open(`file://${folder}/index.html?poll=mountains-or-sea`)
      const width = `(async () => { const code = document.querySelector('#code'); await code.decode(); return code.naturalWidth })()`
      await page.getByText(/^\d+ votes$/).waitFor()
      expect(await page.evaluate<number>(width)).toBe(1024)
      const [mountains, sea] = await votesFor('mountains-or-sea')
      await fetch(`${server.url}/api/rest/v1/polls/mountains-or-sea/votes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() },
        body: '{"option":"B"}',
      })
      const total = mountains + sea + 1
      await page.getByText(`${total} votes`, { exact: true }).waitFor()
      const parts = `['.a', '.b'].map((each) => Number(document.querySelector(each + ' .bar').style.getPropertyValue('--part')))`
      expect(await page.evaluate<number[]>(parts)).toEqual([mountains / total, (sea + 1) / total])
      const textsOf = ([optionA, optionB]: readonly [number, number]) => {
        const { A, B } = sharesIn('en', { optionA, optionB })
        return { a: A.text, b: B.text }
      }
      const { a, b } = textsOf([mountains, sea + 1])
      expect(await page.locator('.share').allTextContents()).toEqual([a, b])
      const pairs = [
        [1, 0],
        [3, 3],
        [996, 3],
        [996, 5],
        [151, 149],
        [502, 500],
        [1, 99_999],
        [500_000, 500_001],
      ] as const
      const shown = await page.evaluate(`${JSON.stringify(pairs)}.map(([a, b]) => sharesOf(a, b))`)
      expect(shown).toEqual(pairs.map(textsOf))
      for (const [width, height] of [
        [1920, 1080],
        [1024, 768],
      ] as const) {
        await page.setViewportSize({ width, height })
        const over =
          'document.documentElement.scrollWidth > innerWidth || document.documentElement.scrollHeight > innerHeight'
        expect([width, await page.evaluate<boolean>(over)]).toEqual([width, false])
      }
      expect(complaints).toEqual([])
      await page.goto(`file://${folder}/index.html?poll=not-there`)
      await page.getByText('The poll cannot be shown').waitFor()
    },
  )

  test('in Next.js renders the poll and its metadata on the server, and a 404 where there is none', async () => {
    const folder = join(built.place, 'next')
    await cp(join(root, 'examples/next'), folder, { recursive: true })
    const next = join(built.place, 'node_modules/next')
    await mkdir(next, { recursive: true })
    await writeFile(join(next, 'package.json'), '{"type": "module", "exports": {"./navigation": "./navigation.js"}}')
    await writeFile(join(next, 'navigation.js'), `export const notFound = () => { throw new Error('not found') }`)
    await writeFile(
      join(folder, 'render.jsx'),
      `import { renderToString } from 'react-dom/server'
      import Page, { generateMetadata } from './app/polls/[slug]/page.jsx'
      const params = Promise.resolve({ slug: process.argv[2] })
      try {
        const metadata = await generateMetadata({ params })
        console.log(JSON.stringify({ metadata, html: renderToString(await Page({ params })) }))
      } catch (error) {
        console.log(JSON.stringify({ error: error.message }))
      }`,
    )
    async function render(slug: string) {
      const env = { ...process.env, TOSSUP_URL: server.url }
      const child = Bun.spawn([process.execPath, 'render.jsx', slug], { cwd: folder, env, stdout: 'pipe' })
      return JSON.parse(await child.stdout.text())
    }
    const { metadata, html } = await render('tea-or-coffee')
    expect(metadata.title).toBe('Tea or coffee?')
    expect(metadata.description).toBe('Tea or Coffee? Vote now.')
    expect(await cardAt(metadata.openGraph.images[0].url)).toBe('image/jpeg')
    expect(html).toContain('<tossup-poll')
    expect(html).toContain('"title":"Tea or coffee?"')
    expect(await render('not-there')).toEqual({ error: 'not found' })
    expect(await render('no poll!')).toEqual({ error: 'not found' })
  })

  test('in Discord registers its command, posts a poll, and counts one vote of each member', async () => {
    const discord = await FakeDiscord.start()
    const folder = join(built.place, 'discord')
    await cp(join(root, 'examples/discord'), folder, { recursive: true })
    const port = await freePort()
    const settings = {
      TOSSUP_URL: server.url,
      DISCORD_PUBLIC_KEY: discord.publicKey,
      DEVICE_SECRET: 'x',
      PORT: String(port),
    }
    const env = { ...process.env, ...settings }
    const running = Bun.spawn([process.execPath, 'bot.js'], { cwd: folder, env, stdout: 'ignore', stderr: 'ignore' })
    const bot = `http://127.0.0.1:${port}/`
    async function register(token: string) {
      const env = { ...process.env, DISCORD_API: discord.api, DISCORD_APPLICATION_ID: '42', DISCORD_TOKEN: token }
      const child = Bun.spawn([process.execPath, 'register.js'], {
        cwd: folder,
        env,
        stdout: 'ignore',
        stderr: 'ignore',
      })
      return await child.exited
    }
    try {
      expect(await register('wrong')).toBe(1)
      expect(await register(TOKEN)).toBe(0)
      expect(discord.registered.map(([command]) => command?.name)).toEqual(['poll'])

      await eventually(() =>
        discord.ping(bot).then(
          (type) => type === 1,
          () => false,
        ),
      )
      const forged = await discord.send(bot, { type: 1 }, { type: 1, forged: true })
      expect(forged.status).toBe(401)
      expect((await fetch(bot, { method: 'POST', body: '{"type":1}' })).status).toBe(401)

      const [windows, aisles] = await votesFor('window-or-aisle')
      const total = windows + aisles
      const { embeds, components } = await discord.command(bot, '80351110224678912', 'window-or-aisle')
      const [a, b] = components?.[0]?.components ?? []
      expect(embeds?.[0]?.title).toBe('Window seat or aisle?')
      expect(await cardAt(embeds?.[0]?.image.url ?? '')).toBe('image/jpeg')
      const first = await discord.press(bot, '80351110224678912', a?.custom_id ?? '')
      expect(first.content).toBe(
        `Your vote: ${a?.label}. ${a?.label} ${windows + 1}, ${b?.label} ${aisles}, ${total + 1} votes.`,
      )
      expect(first.flags).toBe(64)
      const again = await discord.press(bot, '80351110224678912', b?.custom_id ?? '')
      expect(again.content).toStartWith(`Your first vote counts: ${a?.label}.`)
      const other = await discord.press(bot, '53908232506183680', b?.custom_id ?? '')
      expect(other.content).toStartWith(`Your vote: ${b?.label}.`)
      expect(await votesFor('window-or-aisle')).toEqual([windows + 1, aisles + 1])

      const closed = await discord.press(bot, '53908232506183680', 'vote:croissant-or-cinnamon-roll:A')
      expect(closed.content).toBe('This poll takes no votes now.')
      for (const name of ['not-there', 'no poll!'])
        expect(await discord.command(bot, '53908232506183680', name)).toMatchObject({
          content: 'There is no such poll.',
        })
    } finally {
      running.kill()
      await running.exited
      await discord.stop()
    }
  })
})

/** The output that a server prints before it continues. */
async function addressIn(output: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const part of output) {
    text += new TextDecoder().decode(part)
    const [address] = text.match(/http:\/\/localhost:\d+\//) ?? []
    if (address) return address
  }
  throw new Error(`it ended without an address: ${text}`)
}
