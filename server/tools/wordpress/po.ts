/** A text of the plugin. */
export interface Message {
  readonly context?: string
  readonly id: string
  /** For translators, from a comment in the source. */
  readonly hint?: string
  readonly files: readonly string[]
}

/** A message in one language; empty if it is not translated. */
export interface Translation extends Message {
  readonly text: string
}

export interface Catalogue {
  readonly headers: Readonly<Record<string, string>>
  readonly translations: readonly Translation[]
}

/** The key by which gettext and `wp.i18n` look a message up. */
export const keyOf = ({ context, id }: Pick<Message, 'context' | 'id'>): string =>
  context === undefined ? id : `${context}\u0004${id}`

/** JSON escapes quotes, backslashes and line ends as this format does. */
const quoted = (text: string): string => JSON.stringify(text)

export function writePo({ headers, translations }: Catalogue): string {
  const head = Object.entries(headers).map(([name, value]) => quoted(`${name}: ${value}\n`))
  const entries = translations.map(({ context, id, hint, files, text }) =>
    [
      ...(hint ? [`#. translators: ${hint}`] : []),
      `#: ${files.join(' ')}`,
      ...(context === undefined ? [] : [`msgctxt ${quoted(context)}`]),
      `msgid ${quoted(id)}`,
      `msgstr ${quoted(text)}`,
    ].join('\n'),
  )
  return `${['msgid ""', 'msgstr ""', ...head].join('\n')}\n\n${entries.join('\n\n')}\n`
}

/** Reads what `writePo` and the usual editors write, without comments. */
export function readPo(source: string): Catalogue {
  const entries = source.split(/\n{2,}/).map(readEntry)
  const head = entries.find(({ id }) => id === '')?.text ?? ''
  const headers = head.split('\n').flatMap((line) => {
    const [, name, value] = /^([\w-]+): (.*)$/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return { headers: Object.fromEntries(headers), translations: entries.filter(({ id }) => id !== '') }
}

function readEntry(source: string): Translation {
  const values: Record<string, string> = {}
  let name = ''
  for (const line of source.split('\n')) {
    const [, keyword, value] = /^(?:(msg\w+) )?("(?:[^"\\]|\\.)*")$/.exec(line.trim()) ?? []
    if (value === undefined) continue
    name = keyword ?? name
    values[name] = (values[name] ?? '') + JSON.parse(value)
  }
  const { msgctxt: context, msgid: id = '', msgstr: text = '' } = values
  return { id, text, files: [], ...(context === undefined ? {} : { context }) }
}

const MAGIC = 0x950412de
const HEADER_BYTES = 28

/** The binary form that WordPress reads, in the order of the keys and without a hash table. */
export function writeMo({ headers, translations }: Catalogue): Uint8Array {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`)
  const pairs = translations.flatMap((each) => (each.text === '' ? [] : [[keyOf(each), each.text] as const]))
  const rows = [['', head.join('')] as const, ...pairs].map(
    ([key, text]) => [Buffer.from(`${key}\0`), Buffer.from(`${text}\0`)] as const,
  )
  rows.sort(([left], [right]) => Buffer.compare(left, right))
  const tableBytes = rows.length * 8
  const textsAt = HEADER_BYTES + 2 * tableBytes
  const numbers = [MAGIC, 0, rows.length, HEADER_BYTES, HEADER_BYTES + tableBytes, 0, textsAt]
  const texts = [...rows.map(([key]) => key), ...rows.map(([, text]) => text)]
  let at = textsAt
  for (const { length } of texts) {
    // The byte that ends a text does not count.
    numbers.push(length - 1, at)
    at += length
  }
  return Buffer.concat([Buffer.from(Uint32Array.from(numbers).buffer), ...texts])
}

/** The form that `wp.i18n` reads. */
export function writeJson({ headers, translations }: Catalogue): string {
  const texts = translations.flatMap((each) => (each.text === '' ? [] : [[keyOf(each), [each.text]] as const]))
  const messages = { '': { domain: 'messages', lang: headers['Language'] }, ...Object.fromEntries(texts) }
  return JSON.stringify({ domain: 'messages', locale_data: { messages } })
}
