import { PictureRefused } from '../pictures/picture-refused.ts'
import { ELEMENTS, isEditors, SVG, SVG_ATTRIBUTES, XLINK } from './known.ts'
import { checkStyle } from './style.ts'
import type { Attribute, Element } from './xml.ts'

/** An element with only attributes that are known to be harmless. Names have no namespace any more. */
export interface CleanElement {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: readonly (CleanElement | string)[]
}

const refused = (message: string) => new PictureRefused('unsafe_svg', message)

/** Refuses elements and attributes that could act or load, and drops the private data of drawing programs. */
export function cleanElement({ space, name, attributes, children }: Element): CleanElement {
  if (space !== SVG || !ELEMENTS.has(name)) throw refused(`The element <${name}> is not allowed.`)
  const isStyle = name === 'style'
  return {
    name,
    attributes: new Map(attributes.flatMap(cleanAttribute)),
    children: isStyle ? [checkStyle(textOf(children))] : children.filter(isShown).map(cleanChild),
  }
}

const cleanChild = (child: Element | string): CleanElement | string =>
  typeof child === 'string' ? child : cleanElement(child)

const isShown = (child: Element | string): boolean =>
  typeof child === 'string' || (child.space === SVG ? child.name !== 'metadata' : !isEditors(child.space))

function textOf(children: readonly (Element | string)[]): string {
  if (children.some((child) => typeof child !== 'string')) throw refused('A style may contain only text.')
  return children.join('')
}

function cleanAttribute({ space, prefix, name, value }: Attribute): [string, string][] {
  const isLink = name === 'href' && (space === '' || space === XLINK)
  if (/^on/i.test(name)) throw refused(`The attribute ${name} is not allowed.`)
  if (isLink) return [[space === XLINK ? 'xlink:href' : 'href', checkLink(value)]]
  if (prefix === 'xml') return cleanXmlAttribute(name, value)
  if (space !== '' || !isKept(name)) return []
  return [[name, isPlainText(name) ? value : checkStyle(value)]]
}

function checkLink(value: string): string {
  if (!/^#[\w.:-]+$/.test(value)) throw refused('A link may refer only to its own file, as #name.')
  return value
}

function cleanXmlAttribute(name: string, value: string): [string, string][] {
  if (name === 'base') throw refused('The attribute xml:base is not allowed.')
  return name === 'space' ? [['xml:space', value]] : []
}

const isKept = (name: string): boolean => SVG_ATTRIBUTES.has(name) || /^(?:aria|data)-[\w-]+$/.test(name)
const isPlainText = (name: string): boolean => /^(?:aria|data)-|^(?:id|class|lang|role|systemLanguage)$/.test(name)
