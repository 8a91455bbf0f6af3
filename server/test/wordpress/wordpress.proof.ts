import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { hasChromium } from '../../../embed/test/browser.ts'
import { CHOICE, type EmbedSite, HEAR, untilTold } from '../embed-site.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'
import { findProgram } from '../programs.ts'
import type { PollData } from '../service.ts'
import { withEmbedSite } from '../with-embed-site.ts'
import { Editor } from './editor.ts'
import { PageCache } from './page-cache.ts'
import { WordPressSite, wordPressVersions } from './wordpress-site.ts'

setDefaultTimeout(180_000)

/** The address that the settings name must be the one under which the service knows its own links. */
const port = freePort()
const settings = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
const versions = hasChromium && findProgram('php') !== null ? wordPressVersions() : []

describe.if(versions.length > 0).each(versions.length > 0 ? versions : ['without WORDPRESS_DIR'])(
  'in WordPress %s',
  (version) => {
    let site: EmbedSite
    let wordpress: WordPressSite
    let poll: PollData
    let title: string
    let count = 0

    withEmbedSite({ settings }, async (opened) => {
      site = opened
      count += 1
      site.context.setDefaultTimeout(60_000)
      title = `Tea or coffee, number ${count}?`
      poll = await site.createPoll({ title })
      await wordpress.settings({ address: site.url, brand: site.brand.slug })
    })
    beforeAll(async () => {
      wordpress = await WordPressSite.open(version)
    })
    afterAll(() => wordpress.close())

    const signedIn: BrowserContext[] = []
    async function signIn(): Promise<BrowserContext> {
      const context = await wordpress.signIn(site.browser)
      signedIn.push(context)
      return context
    }
    afterEach(async () => {
      for (const context of signedIn.splice(0)) await context.close()
    })

    const choice = (page: Page) => page.locator('tossup-poll').locator(CHOICE.A)
    const total = async () => (await site.tallies(poll)).total

    /** Votes as a visitor, loads the page again, and finds the vote still there. */
    async function voteAndReload(address: string): Promise<void> {
      const page = await site.context.newPage()
      await page.addInitScript(HEAR)
      await page.goto(address)
      await choice(page).click()
      // A page that is left before the answer does not know at its next visit that it voted.
      await untilTold(page, 'voted')
      expect(await total()).toBe(1)
      await page.reload()
      await page.locator('tossup-poll').locator(`${CHOICE.A}[aria-pressed="true"]`).waitFor()
      expect(await total()).toBe(1)
      expect(page.frames().length).toBe(1)
    }

    /** The texts of the notices under the address, when the test is over. */
    async function testAddress(page: Page, address: string, brand = ''): Promise<string[]> {
      await page.fill('#tossup-address', address)
      await page.fill('#tossup-brand', brand)
      await page.evaluate("document.getElementById('tossup-result').replaceChildren()")
      await page.click('#tossup-test')
      await page.waitForSelector('#tossup-result .notice')
      return page.locator('#tossup-result .notice').allInnerTexts()
    }

    const openSettings = async (context: BrowserContext): Promise<Page> => {
      const page = await context.newPage()
      await page.goto(`${wordpress.url}/wp-admin/options-general.php?page=tossup-polls`)
      return page
    }

    test('a block is found, shows what it will be, and takes one vote of a visitor', async () => {
      const editor = await Editor.of(await wordpress.openEditor(await signIn()))
      const requests: string[] = []
      editor.page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
      await editor.find('poll')
      await editor.find('tossup')
      await editor.insert()
      await editor.canvas.locator('.tossup-chooser input').last().fill(`number ${count}`)
      await editor.canvas.locator('.tossup-chooser__list button').first().click()
      const preview = editor.canvas.locator('tossup-poll')
      await preview.locator(CHOICE.A).waitFor()
      await editor.select()
      const sidebar = editor.page.locator('.block-editor-block-inspector')
      await sidebar.locator('select').first().selectOption('dark')
      await sidebar.getByText('Hide the brand').click()
      await sidebar.locator('input[type="number"]').fill('480')
      await sidebar.getByRole('button', { name: 'Results by place' }).click()
      await sidebar.getByLabel('Source', { exact: true }).fill('blog')
      await eventually(async () => (await preview.getAttribute('theme')) === 'dark')
      expect(await preview.boundingBox()).toMatchObject({ width: 480 })
      // Real time: a view would be sent half a second after the poll is seen.
      await Bun.sleep(1_500)
      expect(requests.filter((each) => each.startsWith('POST') && each.includes(site.url))).toEqual([])
      const address = await editor.publish(title)
      expect(await editor.content()).toContain(`<a href="${site.url}/p/${poll.slug}">${title}</a>`)
      await voteAndReload(address)
      const [sources] = await eventually(async () => {
        const { body } = await site.service.get<{ source: string; votes: number }[]>(
          `brands/me/polls/${poll.slug}/sources`,
          {
            token: site.brand.token,
          },
        )
        return body.data.length > 0 && body.data
      })
      expect(sources).toMatchObject({ votes: 1 })
    })

    test('a pasted link becomes the block', async () => {
      const editor = await Editor.of(await wordpress.openEditor(await signIn()))
      await editor.paste(`${site.url}/p/${poll.shortId}?theme=dark`)
      await editor.canvas.locator('tossup-poll[theme="dark"]').locator(CHOICE.A).waitFor()
      await eventually(async () => (await editor.content()).includes(`>${title}</a>`))
      await voteAndReload(await editor.publish(title))
    })

    test.each([
      [
        'an embed',
        (link: string) =>
          `<!-- wp:embed {"url":"${link}"} --><figure class="wp-block-embed"><div class="wp-block-embed__wrapper">\n${link}\n</div></figure><!-- /wp:embed -->`,
      ],
      ['a line of its own', (link: string) => `Before\n\n${link}\n\nAfter`],
      ['a shortcode', () => `[tossup poll="${poll.slug}" hide_brand="true"]`],
    ])('%s keeps the vote of a visitor', async (_, contentOf) => {
      await voteAndReload(await wordpress.post(contentOf(`${site.url}/p/${poll.shortId}`)))
    })

    test('the editor previews an embed of a link in a frame that keeps its storage', async () => {
      const answer =
        await wordpress.load(`wp_set_current_user(1); $request = new WP_REST_Request('GET', '/oembed/1.0/proxy');
      $request->set_param('url', '${site.url}/p/${poll.shortId}'); echo wp_json_encode(rest_do_request($request)->get_data());`)
      const { html } = JSON.parse(answer) as { html: string }
      expect(html).toStartWith('<iframe ')
      expect(html).toContain(` src="${site.url}/embed/poll/${poll.shortId}"`)
      expect(html).not.toContain('sandbox')
    })

    test('a link of another service stays what it was', async () => {
      const link = 'https://elsewhere.invalid/p/abcdefABCDEF'
      const html = await (await fetch(await wordpress.post(`${link}\n\n[tossup poll="a"><b>"]`))).text()
      expect(html).toContain(link)
      expect(html).not.toContain('<tossup-poll')
      expect(html).not.toContain('embed.js')
    })

    test('columns and stacks leave a poll its room', async () => {
      const block = `<!-- wp:tossup/poll {"name":"${poll.slug}"} /-->`
      const column = `<!-- wp:column --><div class="wp-block-column">${block}</div><!-- /wp:column -->`
      const address =
        await wordpress.post(`<!-- wp:columns --><div class="wp-block-columns">${column}${column}</div><!-- /wp:columns -->
      <!-- wp:group {"layout":{"type":"flex","orientation":"vertical"}} --><div class="wp-block-group">${block}</div><!-- /wp:group -->
      <!-- wp:tossup/poll {"name":"${poll.slug}","align":"full"} /-->`)
      for (const [width, least] of [
        [1440, [240, 240, 500, 1_300]],
        [390, [290, 290, 290, 330]],
      ] as const) {
        const page = await site.context.newPage()
        await page.setViewportSize({ width, height: 900 })
        await page.goto(address)
        const polls = page.locator('tossup-poll')
        await polls.last().locator(CHOICE.A).waitFor()
        const boxes = await Promise.all((await polls.all()).map((each) => each.boundingBox()))
        const widths = boxes.map((box) => box?.width ?? 0)
        for (const [i, room] of least.entries()) expect(widths[i]).toBeGreaterThanOrEqual(room)
        expect(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      }
    })

    test.if(findProgram('nginx') !== null)(
      'a page cache serves the same page to each, and each has a vote',
      async () => {
        const address = await wordpress.post(`<!-- wp:tossup/poll {"name":"${poll.slug}"} /-->`)
        await using cache = await PageCache.of(wordpress.url)
        const cached = address.replace(wordpress.url, cache.url)
        const first = await fetch(cached)
        expect(first.headers.get('x-cache')).toBe('MISS')
        const text = await first.text()
        expect(text).not.toMatch(/nonce/i)
        for (const visitor of [1, 2]) {
          await site.renew()
          const page = await site.context.newPage()
          const answer = await page.goto(cached)
          expect([answer?.headers()['x-cache'], await answer?.text()]).toEqual(['HIT', text])
          await choice(page).click()
          await eventually(async () => (await total()) === visitor)
        }
      },
    )

    test('the settings say what is wrong with an address, and keep a good one', async () => {
      await wordpress.settings({})
      const page = await openSettings(await signIn())
      expect(await testAddress(page, 'nonsense here')).toEqual([expect.stringContaining('This is no address')])
      expect(await testAddress(page, 'no-such-host.invalid')).toContainEqual(
        expect.stringContaining('no server of this name'),
      )
      expect(await testAddress(page, 'http://192.168.7.7')).toContainEqual(expect.stringContaining('private network'))
      expect(await testAddress(page, `http://127.0.0.1:${freePort()}`)).toEqual([
        expect.stringContaining('This server does not reach the address'),
        expect.stringContaining('Your browser does not reach the service'),
      ])
      expect(await testAddress(page, wordpress.url)).toContainEqual(
        expect.stringContaining('no Tossup service (status 404)'),
      )
      expect(await testAddress(page, site.url, 'nobody')).toContainEqual(expect.stringContaining('no brand “nobody”'))
      const link = `${site.url}/p/${poll.shortId}?theme=dark`
      expect(await testAddress(page, link, `${site.url}/b/${site.brand.slug}`)).toEqual([
        'This server reaches the service.',
        'Your browser reaches the service.',
      ])
      await page.fill('#tossup-source', 'Not A Source')
      await page.click('#submit')
      await page.waitForSelector('.settings-error')
      expect(await page.locator('.settings-error').allInnerTexts()).toContainEqual(
        expect.stringContaining('source was not saved'),
      )
      expect(JSON.parse(await wordpress.load("echo json_encode(get_option('tossup_polls'));"))).toEqual({
        ...{ address: site.url, brand: site.brand.slug, theme: 'auto', width: 0, source: '' },
      })
    })

    test('only who may manage the site reads or changes the settings', async () => {
      const check = `${wordpress.url}/index.php?rest_route=/tossup-polls/v1/check&address=${encodeURIComponent(site.url)}`
      expect((await fetch(check)).status).toBe(401)
      const answer =
        await wordpress.load(`$id = wp_insert_user(array('user_login' => 'editor' . wp_rand(), 'user_pass' => 'x', 'role' => 'editor'));
      wp_set_current_user($id); $request = new WP_REST_Request('GET', '/tossup-polls/v1/check'); $request->set_param('address', '${site.url}');
      echo rest_do_request($request)->get_status();`)
      expect(answer).toBe('403')
    })

    test('the language of the person is that of the plugin, and one of its country will do', async () => {
      const said = await wordpress.load(`foreach (array('de_DE', 'de_AT', 'ar', 'zh_CN', 'nl_NL') as $locale) {
        switch_to_locale($locale); $GLOBALS['locale'] = $locale; unload_textdomain('tossup-polls', true); tossup_load_language();
        echo __('Test the address', 'tossup-polls'), '|', strpos(load_script_textdomain('tossup-poll-editor-script', 'tossup-polls', dirname(TOSSUP_FILE) . '/languages') ?: '', 'Loading') !== false ? 'script' : '-', "\n";
      }`)
      expect(said.trim().split('\n')).toEqual([
        'Adresse testen|script',
        'Adresse testen|script',
        'اختبار العنوان|script',
        '测试地址|script',
        'Test the address|-',
      ])
    })

    // The last test of this file: the plugin is gone after it.
    test('without the plugin nothing of it is stored, and posts keep a link to their polls', async () => {
      const address = await wordpress.post(
        `<!-- wp:tossup/poll {"name":"${poll.slug}"} --><p class="wp-block-tossup-poll"><a href="${site.url}/p/${poll.slug}">${title}</a></p><!-- /wp:tossup/poll -->`,
      )
      expect(await wordpress.complaints()).toEqual([])
      const left = await wordpress.load(`require ABSPATH . 'wp-admin/includes/plugin.php';
      deactivate_plugins('tossup-polls/tossup-polls.php'); uninstall_plugin('tossup-polls/tossup-polls.php');
      global $wpdb; echo json_encode($wpdb->get_col("SELECT option_name FROM $wpdb->options WHERE option_name LIKE '%tossup%'"));`)
      expect(JSON.parse(left)).toEqual([])
      const html = await (await fetch(address)).text()
      expect(html).toContain(`<a href="${site.url}/p/${poll.slug}">${title}</a>`)
      expect(html).not.toContain('embed.js')
    })
  },
)
