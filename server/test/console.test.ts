import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { LANGS } from '../../embed/src/words.ts'
import { buildConsole, type ConsoleBuild } from '../src/features/console/console-routes.ts'
import { startTestService, type TestService } from './service.ts'

const KILOBYTE = 1_000
const MOST_AT_FIRST = 200 * KILOBYTE
const MOST_OF_A_ROUTE = 80 * KILOBYTE

const PAGES =
  /^(login|profile|brand-profile|overview|((new-|edit-)?(poll|campaign|webhook))|polls|compare|campaigns|codes|code-list|webhooks|theme|keys|people|activity|service|agent-consent)-\w+\.js$/

/** Parts of a page that load when somebody opens them. */
const PARTS =
  /^(chosen-bar|picture-dialog|voter-list|results-links|charts|share-panel|start-dialog|share-campaign|palette|session-ended|sheets)-\w+\.js$/

const sizeOf = (build: ConsoleBuild, name: string): number =>
  gzipSync(build.files.get(name)?.asset.text ?? '', { level: 9 }).length

/** The words of a page, of which a browser loads one language. */
const WORDS = /^(?:account|campaigns|codes|forms|listing|results|service|templates|webhooks)\.uk-/

/** The scripts that a page of the console adds to those of the document, with the longest of its words. */
function addedBy(build: ConsoleBuild, page: string): string[] {
  const known = new Set([build.script, ...build.imports])
  const walk = (name: string): string[] => {
    if (known.has(name)) return []
    known.add(name)
    const imports = new Bun.Transpiler({ loader: 'js' }).scanImports(build.files.get(name)?.asset.text ?? '')
    const files = imports.map(({ path, kind }) => ({ kind, file: path.split('/').at(-1) ?? '' }))
    const wanted = files.filter(({ kind, file }) => kind === 'import-statement' || WORDS.test(file))
    return [name, ...wanted.flatMap(({ file }) => walk(file))]
  }
  return walk(page)
}

test('the first load is at most 200 KB, and each further page at most 80 KB', async () => {
  const build = await buildConsole()
  const shared = [build.script, build.styles, ...build.imports].reduce((sum, name) => sum + sizeOf(build, name), 0)
  const languages = build.languages.map(({ lang, name }) => ({ lang, bytes: sizeOf(build, name) }))
  const largest = Math.max(...languages.map(({ bytes }) => bytes))
  const first = shared + (languages.find(({ lang }) => lang === 'en')?.bytes ?? 0)
  const pages = [...build.files.keys()].filter((name) => PAGES.test(name))
  const sizeWithImports = (page: string) => {
    const bytes = addedBy(build, page).reduce((sum, name) => sum + sizeOf(build, name), 0)
    return { page: page.replace(/-\w+\.js$/, ''), bytes }
  }
  const sizes = pages.map(sizeWithImports)
  const parts = [...build.files.keys()].filter((name) => PARTS.test(name)).map(sizeWithImports)
  const kilobytes = (bytes: number) => `${(bytes / KILOBYTE).toFixed(1)} KB`
  const lineOf = ({ page, bytes }: (typeof sizes)[number]) => `  ${page} ${kilobytes(bytes)}`
  const texts = languages.map(({ lang, bytes }) => `${lang} ${kilobytes(bytes)}`).join(', ')
  process.stdout.write(
    `console, gzip: first load in English ${kilobytes(first)}, with the longest texts ${kilobytes(shared + largest)}\n` +
      `of which texts: ${texts}\nfor each page\n${sizes.map(lineOf).join('\n')}\nand what opens on one\n${parts.map(lineOf).join('\n')}\n`,
  )
  expect(languages.map(({ lang }) => lang)).toEqual([...LANGS])
  expect(sizes).toHaveLength(25)
  expect(parts).toHaveLength(11)
  expect(first).toBeLessThan(MOST_AT_FIRST)
  expect([...sizes, ...parts].filter(({ bytes }) => bytes > MOST_OF_A_ROUTE)).toEqual([])
}, 30_000)

describe('the document', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService('sqlite')
  })
  afterAll(() => service.stop())

  test('answers for every place in the console, under a policy that allows no inline script', async () => {
    const nonces = new Set<string>()
    for (const path of [
      '/console',
      '/console/login',
      '/console/tea/polls',
      '/console/tea/polls/x',
      '/console/tea/polls/x/edit',
    ]) {
      const { status, headers, text } = await service.get(path)
      const policy = headers.get('content-security-policy') ?? ''
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
      expect(policy).toContain("default-src 'none'; script-src 'self';")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toContain('unsafe')
      const [, nonce = ''] = /data-nonce="([^"]+)"/.exec(text) ?? []
      expect(policy).toContain(`'nonce-${nonce}'`)
      nonces.add(nonce)
      expect(text).not.toMatch(/<script(?![^>]*\ssrc=)/)
      expect(text).not.toMatch(/(?:src|href)="(?!\/console\/assets\/|\/favicon\.svg)/)
    }
    expect(nonces.size).toBe(5)
  }, 30_000)

  test('with a slash at the end leads to the console', async () => {
    const answer = await fetch(`${service.service.url}/console/`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '/console'])
  })

  test('says whether the browser has the cookie of a session, for the sign-in page', async () => {
    const hint = async (headers: Record<string, string>) =>
      /data-session="(\w+)"/.exec((await service.get('/console', { headers })).text)?.[1]
    expect(await hint({})).toBe('false')
    expect(await hint({ Cookie: 'tossup=any' })).toBe('true')
  }, 30_000)

  test('names the texts of one language: the chosen one, or that of the browser', async () => {
    const asked = async (headers: Record<string, string>) => {
      const { text } = await service.get('/console', { headers: { 'Accept-Language': 'de-AT, en;q=0.5', ...headers } })
      return [
        /<html lang="(\w+)" dir="(\w+)">/.exec(text)?.slice(1),
        [...text.matchAll(/texts\.(\w+)-/g)].map(([, lang]) => lang),
      ]
    }
    expect(await asked({})).toEqual([['de', 'ltr'], ['de']])
    expect(await asked({ Cookie: 'tossup_console_lang=ar' })).toEqual([['ar', 'rtl'], ['ar']])
    expect(await asked({ Cookie: 'tossup_console_lang=xx' })).toEqual([['de', 'ltr'], ['de']])
  }, 30_000)

  test('names files that never change, compressed, and another name is 404', async () => {
    const { text } = await service.get('/console')
    const files = [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(2)
    for (const path of files) {
      const { status, headers } = await service.get(path, { headers: { 'Accept-Encoding': 'br' } })
      expect([path, status, headers.get('cache-control')]).toEqual([path, 200, 'public, max-age=31536000, immutable'])
      expect(headers.get('content-type')).toBe(
        path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
      )
    }
    const missing = await service.get('/console/assets/main-00000000.js')
    expect([missing.status, missing.body.error.code]).toEqual([404, 'NOT_FOUND'])
  }, 30_000)
})
