import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { crc32, inflateRawSync } from 'node:zlib'
import { LANGUAGES, pluginFiles, pluginTexts, updated } from '../tools/wordpress/plugin.ts'
import { keyOf, readPo, writePo } from '../tools/wordpress/po.ts'
import { zipOf } from '../tools/wordpress/zip.ts'
import { findProgram } from './programs.ts'

const FOLDER = new URL('../../integrations/wordpress/tossup-polls/', import.meta.url)
const texts = pluginTexts()
const catalogues = readdirSync(LANGUAGES).filter((name) => name.endsWith('.po'))
const isUpdate = process.env['UPDATE_FACTS'] === '1'

/** Compares a generated file with its content, or writes it. */
function expectFile(file: URL, content: string): void {
  if (isUpdate) writeFileSync(file, content)
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe(content)
}

const template = {
  headers: {
    'Project-Id-Version': 'Tossup polls',
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-Domain': 'tossup-polls',
  },
  translations: texts.map((each) => ({ ...each, text: '' })),
}

describe('the plugin for WordPress', () => {
  test('has a template of its texts', () => {
    expect(texts.length).toBeGreaterThan(60)
    expectFile(new URL('tossup-polls.pot', LANGUAGES), writePo(template))
  })

  test('is translated into nine languages beside English', () => {
    expect(catalogues.length).toBe(9)
  })

  test.each(catalogues)('%s has each text with its placeholders, and no other', (name) => {
    const file = new URL(name, LANGUAGES)
    const catalogue = updated(readPo(readFileSync(file, 'utf8')), texts)
    expectFile(file, writePo(catalogue))
    expect(catalogue.translations.flatMap(({ id, text }) => (text === '' ? [id] : []))).toEqual([])
    const placeholders = (text: string) => text.match(/%[sd]|\[tossup [^\]]*\]|https?:\S+com|\/b\//g) ?? []
    for (const { id, text } of catalogue.translations) expect(placeholders(text)).toEqual(placeholders(id))
  })

  test('comes with what WordPress reads: a binary file, and one for the script of the editor', () => {
    const files = pluginFiles()
    const json = JSON.parse(
      Buffer.from(files.get('languages/tossup-polls-de_DE-tossup-poll-editor-script.json') ?? []).toString(),
    )
    expect(json.locale_data.messages['Use this link']).toEqual(['Diesen Link verwenden'])
    expect(json.locale_data.messages['Test the address']).toBeUndefined()
    const mo = Buffer.from(files.get('languages/tossup-polls-de_DE.mo') ?? [])
    const [count, keysAt, textsAt] = [mo.readUInt32LE(8), mo.readUInt32LE(12), mo.readUInt32LE(16)]
    const textAt = (table: number, i: number) => {
      const [length, at] = [mo.readUInt32LE(table + i * 8), mo.readUInt32LE(table + i * 8 + 4)]
      return mo.toString('utf8', at, at + length)
    }
    const read = Object.fromEntries(Array.from({ length: count }, (_, i) => [textAt(keysAt, i), textAt(textsAt, i)]))
    const { translations } = readPo(readFileSync(new URL('tossup-polls-de_DE.po', LANGUAGES), 'utf8'))
    const { '': head, ...others } = read
    expect(others).toEqual(Object.fromEntries(translations.map((each) => [keyOf(each), each.text])))
    expect(head).toContain('Language: de_DE\n')
    expect(Object.keys(read)).toEqual(
      Object.keys(read).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    )
  })

  test('is an archive with these files under one folder', () => {
    const files = pluginFiles()
    const zip = Buffer.from(zipOf('tossup-polls', files))
    const found = new Map<string, Buffer>()
    for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
      const [crc, packed, name] = [zip.readUInt32LE(at + 14), zip.readUInt32LE(at + 18), zip.readUInt16LE(at + 26)]
      const start = at + 30 + name
      const bytes = inflateRawSync(zip.subarray(start, start + packed))
      expect(crc32(bytes)).toBe(crc)
      found.set(zip.toString('utf8', at + 30, start), bytes)
      at = start + packed
    }
    expect([...found.keys()]).toEqual([...files.keys()].map((name) => `tossup-polls/${name}`))
    expect(found.get('tossup-polls/readme.txt')?.toString()).toStartWith('=== Tossup polls ===')
    expect(zipOf('tossup-polls', files)).toEqual(zip)
  })

  test('says the same version and the same needs everywhere', () => {
    const of = (name: string) => readFileSync(new URL(name, FOLDER), 'utf8')
    const [plugin, readme, assets] = [of('tossup-polls.php'), of('readme.txt'), of('blocks/poll/editor.asset.php')]
    const version = /^ \* Version: +(\S+)$/m.exec(plugin)?.[1] ?? 'none'
    expect(plugin).toContain(`const TOSSUP_VERSION = '${version}';`)
    expect(readme).toContain(`Stable tag: ${version}\n`)
    expect(assets).toContain(`'${version}'`)
    for (const header of ['Requires at least', 'Requires PHP']) {
      const value = (text: string) => new RegExp(`${header}: +(\\S+)`).exec(text)?.[1]
      expect(value(readme)).toBe(value(plugin) ?? '')
    }
    // The directory cuts what is longer.
    const [, summary = ''] = /^License URI: .*\n\n(.+)\n/m.exec(readme) ?? []
    expect(summary.length).toBeLessThanOrEqual(150)
    expect(summary.length).toBeGreaterThan(20)
  })

  test.if(findProgram('php') !== null)('is PHP', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.php'))
    expect(files.length).toBeGreaterThan(8)
    for (const name of files) {
      const { exitCode, stderr } = Bun.spawnSync(['php', '-l', fileURLToPath(new URL(name, FOLDER))])
      expect([name, exitCode, stderr.toString()]).toEqual([name, 0, ''])
    }
  })
})
