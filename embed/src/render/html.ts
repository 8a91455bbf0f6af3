/** Safe markup: all foreign text in it is escaped. */
export class Html {
  readonly #text: string

  /** The template's text is markup; its values are escaped unless they are markup. */
  constructor(strings: TemplateStringsArray, values: readonly HtmlValue[]) {
    this.#text = strings.map((text, i) => (i === 0 ? text : rendered(values[i - 1]) + text)).join('')
  }

  toString(): string {
    return this.#text
  }
}

export type HtmlValue = Html | string | number | false | null | undefined | readonly HtmlValue[]

export const html = (strings: TemplateStringsArray, ...values: HtmlValue[]): Html => new Html(strings, values)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

function rendered(value: HtmlValue): string {
  if (value === false || value === null || value === undefined) return ''
  if (value instanceof Html) return value.toString()
  if (typeof value === 'string') return escaped(value)
  return typeof value === 'number' ? String(value) : value.map(rendered).join('')
}
