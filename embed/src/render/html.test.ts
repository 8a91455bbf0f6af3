import { expect, test } from 'bun:test'
import { html } from './html.ts'

const NASTY = `<img src=x onerror="alert(1)">'&`
const ESCAPED = '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;'

test('every value is escaped, in an element and in an attribute', () => {
  expect(html`<p title="${NASTY}">${NASTY}</p>`.toString()).toBe(`<p title="${ESCAPED}">${ESCAPED}</p>`)
})

test('nested markup stays markup, also in lists of lists', () => {
  const item = html`<b>${'<'}</b>`
  expect(html`${item}${[item, [item, '<']]}`.toString()).toBe('<b>&lt;</b><b>&lt;</b><b>&lt;</b>&lt;')
})

test('empty values render nothing, and 0 renders a zero', () => {
  expect(html`a${null}${undefined}${false}${''}${[]}${0}b`.toString()).toBe('a0b')
})

test('an object that pretends to be text is refused', () => {
  const forged = { toString: () => '<b>' } as unknown as string
  expect(() => html`${forged}`.toString()).toThrow()
})
