// storage/svg: reads SVG and writes only the elements and attributes that it knows.

import { MOST_PICTURE_BYTES } from '../pictures/inbox.ts'
import { PictureRefused } from '../pictures/picture-refused.ts'
import { type CleanElement, cleanElement } from './clean.ts'
import { SVG, XLINK } from './known.ts'
import { checkUses } from './uses.ts'
import { parseXml } from './xml.ts'

interface Picture {
  readonly bytes: Uint8Array
  readonly width: number
  readonly height: number
}

const TOO_LONG = `Cleaned, the picture has more than ${MOST_PICTURE_BYTES / 1024 ** 2} MiB.`
const LARGEST = 1_000_000
/** The size that browsers use if none is given. */
const DEFAULT_SIZE = [300, 150] as const

/** Parses the file and writes only what was understood, so that a browser cannot read anything else into it. */
export function rewriteSvg(bytes: Uint8Array): Picture {
  if (!/<(?:\w+:)?svg[\s>/]/.test(Buffer.from(bytes).toString('latin1'))) throw new PictureRefused('wrong_type')
  const parsed = parseXml(bytes)
  if (parsed.name !== 'svg' || parsed.space !== SVG) throw new PictureRefused('wrong_type')
  const root = cleanElement(parsed)
  checkUses(root)
  const parts: string[] = []
  write({ ...root, attributes: new Map([...namespaces, ...root.attributes]) }, parts)
  const written = new TextEncoder().encode(parts.join(''))
  // Escaping makes a character up to five times as long.
  if (written.length > MOST_PICTURE_BYTES) throw new PictureRefused('unsafe_svg', TOO_LONG)
  return { bytes: written, ...sizeOf(root) }
}

const namespaces: readonly [string, string][] = [
  ['xmlns', SVG],
  ['xmlns:xlink', XLINK],
]

/** Appends to one list: if each level joined its own string, text would be copied once for each level of nesting. */
function write({ name, attributes, children }: CleanElement, parts: string[]): void {
  parts.push(`<${name}`)
  for (const [attribute, value] of attributes) parts.push(` ${attribute}="`, escaped(value), '"')
  const start = parts.push('>')
  for (const child of children) {
    if (typeof child !== 'string') write(child, parts)
    else if (child !== '') parts.push(escapedText(child))
  }
  if (parts.length === start) parts[start - 1] = '/>'
  else parts.push(`</${name}>`)
}

const asNumber = (character: string): string => `&#${character.charCodeAt(0)};`
const escapedText = (text: string): string => text.replace(/[&<>\r]/g, asNumber)
/** Also escapes line breaks and tabs, because parsers turn them into spaces in attributes. */
const escaped = (text: string): string => text.replace(/[&<>"'\t\n\r]/g, asNumber)

function sizeOf({ attributes }: CleanElement): Pick<Picture, 'width' | 'height'> {
  const [, , ...box] = (attributes.get('viewBox') ?? '').split(/[\s,]+/, 4).map(Number)
  const length = (name: 'width' | 'height', fallback: number | undefined, last: number) => {
    const said = Number(/^\s*([\d.]+)(?:px)?\s*$/.exec(attributes.get(name) ?? '')?.[1])
    const value = [said, fallback, last].find((candidate) => candidate !== undefined && candidate > 0) ?? last
    return Math.min(LARGEST, Math.max(1, Math.round(value)))
  }
  return { width: length('width', box[0], DEFAULT_SIZE[0]), height: length('height', box[1], DEFAULT_SIZE[1]) }
}
