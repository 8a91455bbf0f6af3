import { expect, test } from 'bun:test'
import { LAYER_ORDER } from './layers.ts'
import { integrity, stylesheet } from './stylesheet.ts'
import { pageThemeStyles, themeStyles } from './theme-styles.ts'

const withoutComments = (css: string): string => css.replace(/\/\*[\s\S]*?\*\//g, '')

test('the stylesheet begins with the order of its layers', () => {
  expect(stylesheet).toStartWith(LAYER_ORDER)
  const layers = [...withoutComments(stylesheet).matchAll(/^@layer ([a-z.]+) \{/gm)].map((match) => match[1])
  expect([...new Set(layers)]).toEqual(['tossup.integrity', 'tossup.base', 'tossup.theme'])
  expect(layers.slice(-2)).toEqual(['tossup.base', 'tossup.theme'])
})

test('the stylesheet has !important on each rule that keeps a poll honest', () => {
  const declarations = withoutComments(integrity).match(/[a-z-]+:[^;{}]+;/g) ?? []
  expect(declarations.length).toBeGreaterThan(90)
  for (const declaration of declarations) expect(declaration).toMatch(/ !important;$/)
})

test('the stylesheet loads nothing, and cannot end its style element', () => {
  expect(withoutComments(stylesheet)).not.toMatch(/url\(|@import|@font-face|<\//)
})

test('the stylesheet has the values of a theme in one small rule, for both schemes', () => {
  const theme = { accent: '#c2410c', background: '#fff7ed', foreground: '#431407', fontStack: 'SERIF' } as const
  const css = themeStyles(theme)
  expect(css).toStartWith('@layer tossup.theme{:host,.tossup{--tossup-card:light-dark(#fff7ed,#')
  expect(css).toEndWith(';--tossup-font:ui-serif, Georgia, "Times New Roman", serif}}')
  expect(css).toContain('--tossup-accent:light-dark(#c2410c,#')
  expect(css.match(/--tossup-[a-z-]+:/g)?.length).toBe(12)
  expect(pageThemeStyles(theme)).toMatch(
    /^:root\{--tossup-ground:light-dark\(#\w{6},#\w{6}\);--tossup-on-ground:[^;]+;--tossup-ground-muted:[^;]+;--tossup-font:/,
  )
  expect(css.length).toBeLessThan(750)
})
