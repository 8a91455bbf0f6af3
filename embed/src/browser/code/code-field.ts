import { type Html, html } from '../../render/html.ts'
import { directionOf } from '../../words.ts'
import { patch } from '../patch.ts'
import { readCode } from './read-code.ts'

export interface FieldView {
  readonly id: string
  readonly lang: string
  /** The color scheme of the card. */
  readonly scheme: string
  readonly label: string
  /** Whether there is a field; false leaves the message alone. */
  readonly isAsked: boolean
  readonly said: string
  readonly kind: 'hint' | 'wrong' | 'ready'
}

/** A `<nav>`, because one at the end of a card stays when the card is drawn again: see patch.ts. */
export function fieldIn(place: Element): HTMLElement {
  const field = document.createElement('nav')
  field.className = 'code'
  field.role = 'presentation'
  place.append(field)
  return field
}

/** A code is written from left to right in every language. */
const input = ({ id, kind }: FieldView): Html =>
  html`<input class="code-input" id="${id}" dir="ltr" type="text" inputmode="text" autocapitalize="characters" autocomplete="off" autocorrect="off" spellcheck="false" enterkeyhint="done" placeholder="XXXX-XXXX-XXXX" aria-describedby="${id}-said" aria-invalid="${String(kind === 'wrong')}">`

export function showField(field: HTMLElement, view: FieldView): void {
  const { id, lang, scheme, label, isAsked, said, kind } = view
  field.lang = lang
  field.dir = directionOf(lang)
  field.dataset['scheme'] = scheme
  const asking = isAsked && html`<label for="${id}">${label}</label>${input(view)}`
  patch(
    field,
    html`<form novalidate>${asking}<p class="code-said is-${kind}" id="${id}-said" role="status">${said}</p></form>`.toString(),
  )
}

/** Puts the code into groups while it is typed. The caret stays behind the character that it followed. */
export function formatInput(input: HTMLInputElement): void {
  const { value, selectionStart } = input
  const { shown } = readCode(value)
  if (shown === value) return
  const before = readCode(value.slice(0, selectionStart ?? value.length)).length
  input.value = shown
  const caret = before + Math.max(0, Math.ceil(before / 4) - 1)
  input.setSelectionRange(caret, caret)
}
