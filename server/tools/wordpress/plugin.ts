// The plugin for WordPress as it is installed: its sources with the translations in the forms that WordPress reads.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { type Catalogue, keyOf, type Message, readPo, writeJson, writeMo } from './po.ts'
import { textsIn } from './texts.ts'

const FOLDER = new URL('../../../integrations/wordpress/tossup-polls/', import.meta.url)
export const LANGUAGES: URL = new URL('languages/', FOLDER)
/** The script of the editor, and the handle under which WordPress looks for its texts. */
const EDITOR = { file: 'blocks/poll/editor.js', handle: 'tossup-poll-editor-script' }

function sources(): Map<string, Buffer> {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => statSync(new URL(name, FOLDER)).isFile())
  return new Map(files.map((name) => [name, readFileSync(new URL(name, FOLDER))]))
}

export const pluginTexts = (): Message[] =>
  textsIn(new Map([...sources()].map(([name, bytes]) => [name, bytes.toString()])))

/** The catalogue of these messages: it loses the others, and gets new ones without a text. */
export function updated({ headers, translations }: Catalogue, messages: readonly Message[]): Catalogue {
  const known = new Map(translations.map((each) => [keyOf(each), each.text]))
  return { headers, translations: messages.map((each) => ({ ...each, text: known.get(keyOf(each)) ?? '' })) }
}

/** By their paths within the folder of the plugin. */
export function pluginFiles(): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>(sources())
  const messages = pluginTexts()
  for (const [name, bytes] of files) {
    const [, base] = /^(languages\/.+)\.po$/.exec(name) ?? []
    if (!base) continue
    const catalogue = updated(readPo(Buffer.from(bytes).toString()), messages)
    const ofEditor = catalogue.translations.filter(({ files: places }) => places.includes(EDITOR.file))
    files.set(`${base}.mo`, writeMo(catalogue))
    files.set(`${base}-${EDITOR.handle}.json`, Buffer.from(writeJson({ ...catalogue, translations: ofEditor })))
  }
  return files
}
