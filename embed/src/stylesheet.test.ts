import { expect, test } from 'bun:test'
import { LAYER_ORDER } from './layers.ts'
import { integrity, stylesheet } from './stylesheet.ts'
import { themeStyles } from './theme-styles.ts'

const withoutComments = (css: string): string => css.replace(/\/\*[\s\S]*?\*\//g, '')

test('the order of the layers stands before everything else', () => {
  expect(stylesheet).toStartWith(LAYER_ORDER)
  const layers = [...withoutComments(stylesheet).matchAll(/^@layer ([a-z.]+) \{/gm)].map((match) => match[1])
  expect([...new Set(layers)]).toEqual(['tossup.integrity', 'tossup.base', 'tossup.theme'])
  expect(layers.slice(-2)).toEqual(['tossup.base', 'tossup.theme'])
})

test('each rule that keeps a poll honest is important', () => {
  const declarations = withoutComments(integrity).match(/[a-z-]+:[^;{}]+;/g) ?? []
  expect(declarations.length).toBeGreaterThan(150)
  for (const declaration of declarations) expect(declaration).toMatch(/ !important;$/)
})

test('nothing in it loads anything, or ends the element that it stands in', () => {
  expect(withoutComments(stylesheet)).not.toMatch(/url\(|@import|@font-face|<\//)
})

test('the colours of a theme are one small rule, in both schemes', () => {
  expect(themeStyles({ accent: '#c2410c', background: '#fff7ed', foreground: '#431407' })).toBe(
    '@layer tossup.theme{.tossup{--tossup-card:light-dark(#fff7ed,#431407);--tossup-text:light-dark(#431407,#fff7ed);' +
      '--tossup-muted:light-dark(#7b584c,#c7b3a8);--tossup-line:light-dark(#d9cabf,#694135);' +
      '--tossup-accent:light-dark(#c2410c,#c2410c);--tossup-on-accent:light-dark(#ffffff,#ffffff)}}',
  )
})
