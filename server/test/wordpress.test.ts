import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { findProgram } from './programs.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

const PLUGIN = new URL('../../examples/wordpress/tossup.php', import.meta.url).pathname

/** The functions of WordPress that the plugin calls, as its manual describes them. */
const STAND_INS = `
error_reporting(E_ALL);
set_error_handler(function ($level, $message) { throw new ErrorException($message); });
define('ABSPATH', '/');
[$plugin, $url, $may_edit] = array_slice($argv, 1);
if ($url !== '') define('TOSSUP_URL', $url);
$shortcodes = []; $scripts = [];
function add_shortcode($name, $callback) { global $shortcodes; $shortcodes[$name] = $callback; }
function shortcode_atts($defaults, $given, $name) {
  return array_merge($defaults, array_intersect_key((array) $given, $defaults));
}
function wp_enqueue_script_module($id, $source) { global $scripts; $scripts[$id] = $source; }
function esc_attr($text) { return htmlspecialchars($text, ENT_QUOTES, 'UTF-8', false); }
function esc_html($text) { return htmlspecialchars($text, ENT_QUOTES, 'UTF-8', false); }
function esc_html__($text, $domain) { return esc_html($text); }
function esc_url($url) { return preg_match('#^https?://#', $url) ? esc_attr($url) : ''; }
function current_user_can($right) { global $may_edit; return $right === 'edit_posts' && $may_edit === 'yes'; }
require $plugin;
$given = json_decode(stream_get_contents(STDIN), true);
echo json_encode(['html' => $shortcodes['tossup']($given), 'scripts' => (object) $scripts]);
`

interface Shown {
  readonly html: string
  readonly scripts: Readonly<Record<string, string>>
}

interface Place {
  readonly url?: string
  readonly mayEdit?: boolean
}

/** Renders a shortcode in a post. WordPress passes an empty string for a shortcode without attributes. */
async function show(
  attributes: Record<string, string> | '',
  { url = '', mayEdit = false }: Place = {},
): Promise<Shown> {
  const php = Bun.spawn(['php', '-r', STAND_INS, '--', PLUGIN, url, mayEdit ? 'yes' : 'no'], {
    stdin: new Blob([JSON.stringify(attributes)]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaints, code] = await Promise.all([php.stdout.text(), php.stderr.text(), php.exited])
  expect([code, complaints]).toEqual([0, ''])
  return JSON.parse(output) as Shown
}

describe.if(findProgram('php') !== null)('the shortcode for WordPress', () => {
  let service: TestService
  let poll: PollData
  beforeAll(async () => {
    service = await startTestService('sqlite')
    poll = await service.createPoll(await service.createBrand())
  }, 60_000)
  afterAll(() => service.stop())

  test('shows a poll with the script of the service, and a link that leads to its page', async () => {
    const { url } = service.service
    const { html, scripts } = await show({ poll: poll.slug }, { url: `${url}/` })
    const page = `${url}/p/${poll.slug}`
    expect(html).toBe(`<tossup-poll poll="${poll.slug}"><a href="${page}">Vote here</a></tossup-poll>`)
    expect(scripts).toEqual({ tossup: `${url}/embed.js` })
    for (const address of [page, `${url}/embed.js`]) expect((await fetch(address)).status).toBe(200)
  })

  test('shows campaigns and brands', async () => {
    const url = 'https://polls.example.com'
    expect((await show({ campaign: 'spring' }, { url })).html).toBe(
      `<tossup-campaign campaign="spring"><a href="${url}/c/spring">Vote here</a></tossup-campaign>`,
    )
    expect((await show({ brand: 'corner-cafe' }, { url })).html).toBe(
      `<tossup-feed brand="corner-cafe"><a href="${url}/b/corner-cafe">Vote here</a></tossup-feed>`,
    )
  })

  test('passes the options of an embed on, and nothing that ends an attribute', async () => {
    const url = 'https://polls.example.com'
    const looks = {
      theme: 'dark',
      accent: '"><script>',
      lang: 'de',
      hide_title: 'true',
      hide_brand: 'false',
      onload: 'x',
    }
    const { html } = await show({ poll: 'tea', ...looks }, { url })
    expect(html).toStartWith(
      '<tossup-poll poll="tea" theme="dark" accent="&quot;&gt;&lt;script&gt;" lang="de" hideTitle><a href=',
    )
  })

  test.each([
    ['', { url: 'https://polls.example.com' }, 'Name a poll, a campaign or a brand'],
    [{ poll: 'a"><b>' }, { url: 'https://polls.example.com' }, 'This is not the name of a poll: a&quot;&gt;&lt;b&gt;'],
    [{ poll: 'tea' }, {}, 'Set TOSSUP_URL in wp-config.php'],
  ] as const)('tells only editors what is wrong with %p', async (attributes, place, problem) => {
    const editor = await show(attributes, { ...place, mayEdit: true })
    expect(editor.html).toContain(problem)
    expect(await show(attributes, place)).toEqual({ html: '', scripts: {} })
    expect(editor.scripts).toEqual({})
  })
})
