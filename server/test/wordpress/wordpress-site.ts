import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { pluginFiles } from '../../tools/wordpress/plugin.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-port.ts'

/** The folders that `get-wordpress.sh` made, by their versions. */
export function wordPressVersions(): string[] {
  const folder = process.env['WORDPRESS_DIR']
  const versions = folder && existsSync(folder) ? readdirSync(folder).filter((name) => /^\d/.test(name)) : []
  if (versions.length === 0) process.stderr.write('WORDPRESS_DIR names no WordPress: its tests are skipped\n')
  return versions.sort()
}

/** Answers files as they are, and everything else by WordPress, with addresses as of Apache's rules. */
const ROUTER = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$file = __DIR__ . $path;
if (is_dir($file)) $file = rtrim($file, '/') . '/index.php';
if (is_file($file) && !str_ends_with($file, '.php')) return false;
if (!is_file($file)) $file = __DIR__ . '/index.php';
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = substr($file, strlen(__DIR__));
chdir(dirname($file));
require $file;`

const CONFIG = (url: string) => `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', ''); define('DB_PASSWORD', ''); define('DB_HOST', '');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', '${url}'); define('WP_SITEURL', '${url}');
define('WP_DEBUG', true); define('WP_DEBUG_DISPLAY', false); define('WP_DEBUG_LOG', __DIR__ . '/debug.log');
define('AUTOMATIC_UPDATER_DISABLED', true); define('DISABLE_WP_CRON', true); define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1,*.invalid,192.168.7.7');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require ABSPATH . 'wp-settings.php';`

const COMPILED = 'compiled'

/** Requests and commands share the compiled code of WordPress, which takes longer than most of them to compile. */
const phpIn = (folder: string): string[] => {
  // PHP would not keep the code of files that were copied a moment ago.
  const options = ['enable_cli=1', 'file_update_protection=0', `file_cache=${join(folder, COMPILED)}`]
  return ['php', ...options.flatMap((option) => ['-d', `opcache.${option}`])]
}

/** A WordPress of its own on SQLite, served by PHP, in which the plugin is installed and active. */
export class WordPressSite {
  readonly url: string
  readonly version: string
  readonly #folder: string
  readonly #server: Bun.Subprocess

  private constructor(folder: string, version: string, port: number) {
    this.#folder = folder
    this.version = version
    this.url = `http://127.0.0.1:${port}`
    this.#server = Bun.spawn([...phpIn(folder), '-S', `127.0.0.1:${port}`, '-t', folder, join(folder, 'router.php')], {
      env: { ...process.env, PHP_CLI_SERVER_WORKERS: '4' },
      stdout: 'ignore',
      stderr: Bun.file(join(folder, 'server.log')),
    })
  }

  static async open(version: string): Promise<WordPressSite> {
    const source = process.env['WORDPRESS_DIR'] ?? ''
    const folder = await mkdtemp(join(tmpdir(), 'tossup-wordpress-'))
    const port = freePort()
    await $`cp --recursive ${join(source, version)}/. ${folder}`
    await mkdir(join(folder, COMPILED))
    const plugins = join(folder, 'wp-content/plugins')
    await $`cp --recursive ${join(source, 'sqlite')} ${plugins}`
    const database = await Bun.file(join(source, 'sqlite/db.copy')).text()
    const placed = database.replaceAll('{SQLITE_IMPLEMENTATION_FOLDER_PATH}', join(plugins, 'sqlite'))
    await Bun.write(join(folder, 'wp-content/db.php'), placed.replaceAll('{SQLITE_PLUGIN}', 'sqlite/load.php'))
    await Bun.write(join(folder, 'wp-config.php'), CONFIG(`http://127.0.0.1:${port}`))
    await Bun.write(join(folder, 'router.php'), ROUTER)
    for (const [name, bytes] of pluginFiles()) await Bun.write(join(plugins, 'tossup-polls', name), bytes)
    await mkdir(join(folder, 'wp-content/database'), { recursive: true })
    const site = new WordPressSite(folder, version, port)
    await site.php(`define('WP_INSTALLING', true); require 'wp-load.php'; require ABSPATH . 'wp-admin/includes/upgrade.php';
      wp_install('A blog', 'admin', 'admin@example.com', true, '', 'password');`)
    await site.load(`require ABSPATH . 'wp-admin/includes/plugin.php'; $failed = activate_plugin('tossup-polls/tossup-polls.php');
      if (is_wp_error($failed)) throw new Exception($failed->get_error_message());`)
    await eventually(async () => (await fetch(site.url).catch(() => null))?.ok === true)
    return site
  }

  /** Runs PHP in the folder of the site, and answers what it prints. */
  async php(code: string): Promise<string> {
    const server = "$_SERVER['HTTP_HOST'] = '127.0.0.1'; $_SERVER['SERVER_PROTOCOL'] = 'HTTP/1.1';"
    const child = Bun.spawn([...phpIn(this.#folder), '-d', 'display_errors=stderr', '-r', server + code], {
      cwd: this.#folder,
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, complaints, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (status !== 0) throw new Error(`php: ${complaints}${output}`)
    return output
  }

  /** Runs PHP with WordPress loaded. */
  load = (code: string): Promise<string> => this.php(`require 'wp-load.php';${code}`)

  /** Makes a post of this content, and answers its address. */
  async post(content: string, title = 'A post'): Promise<string> {
    const text = Buffer.from(content).toString('base64')
    return this.load(`wp_set_current_user(1); kses_remove_filters();
      $id = wp_insert_post(array('post_title' => '${title}', 'post_status' => 'publish', 'post_content' => wp_slash(base64_decode('${text}'))));
      echo get_permalink($id);`)
  }

  settings = (values: Record<string, unknown>): Promise<string> =>
    this.load(`update_option('tossup_polls', json_decode('${JSON.stringify(values)}', true));`)

  /** A browser in which the first user, the administrator, has signed in. */
  async signIn(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
    // Editors of WordPress load a hundred scripts.
    context.setDefaultTimeout(60_000)
    const cookies =
      await this.load(`$end = time() + HOUR_IN_SECONDS; $session = WP_Session_Tokens::get_instance(1)->create($end);
      foreach (array(AUTH_COOKIE => 'auth', LOGGED_IN_COOKIE => 'logged_in') as $name => $kind)
        $cookies[] = array('name' => $name, 'value' => rawurlencode(wp_generate_auth_cookie(1, $end, $kind, $session)), 'url' => '${this.url}');
      echo json_encode($cookies);`)
    await context.addCookies(JSON.parse(cookies))
    return context
  }

  /** An editor with an empty post, without the guide for newcomers. */
  async openEditor(context: BrowserContext, path = 'post-new.php'): Promise<Page> {
    const page = await context.newPage()
    await page.goto(`${this.url}/wp-admin/${path}`)
    await page.waitForFunction("window.wp?.data?.select('core/editor')?.getCurrentPostType()")
    await page.evaluate(`for (const name of ['welcomeGuide', 'fullscreenMode']) {
      wp.data.dispatch('core/preferences').set('core/edit-post', name, false)
    }`)
    return page
  }

  /** Lines of WordPress' log about the plugin: old releases complain of a new PHP by themselves. */
  async complaints(): Promise<string[]> {
    const file = Bun.file(join(this.#folder, 'debug.log'))
    const text = (await file.exists()) ? await file.text() : ''
    return text.split('\n').filter((line) => line.includes('plugins/tossup-polls'))
  }

  async close(): Promise<void> {
    // Workers outlive the server that started them.
    const { pid } = this.#server
    const workers = await Bun.file(`/proc/${pid}/task/${pid}/children`).text()
    for (const worker of workers.split(' ').filter(Boolean)) process.kill(Number(worker))
    this.#server.kill()
    await this.#server.exited
    await rm(this.#folder, { recursive: true })
  }
}
