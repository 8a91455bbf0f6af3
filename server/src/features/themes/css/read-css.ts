// features/themes/css: reads the stylesheet of a brand strictly and prints what is allowed.

import type { CssNode, StyleSheet } from 'css-tree'
import parse from 'css-tree/parser'
import { checkStyleSheet } from './check-style-sheet.ts'
import { checkText } from './check-text.ts'
import { type CssProblem, NESTING, Problems, ReadEnough } from './problems.ts'

/** The problems of a stylesheet, ordered by line; empty if it is accepted. */
export function cssProblems(text: string): readonly CssProblem[] {
  const problems = new Problems(text)
  try {
    checkText(text, problems)
    const sheet = problems.isEmpty ? parseCss(text, problems) : null
    if (sheet && problems.isEmpty) checkStyleSheet(sheet, problems)
  } catch (error) {
    if (!(error instanceof ReadEnough)) throw error
  }
  return problems.inOrder()
}

export function parseCss(text: string, problems = new Problems(text)): StyleSheet {
  return parse(text, {
    positions: true,
    parseCustomProperty: true,
    onParseError({ message, line, column }, fallback?: CssNode | null) {
      // Without a fallback, the parser will try another interpretation.
      if (!fallback?.loc) return
      const failed = text.slice(fallback.loc.start.offset, fallback.loc.end.offset)
      if (isEmpty(failed)) return
      // The parser takes a nested rule for a malformed declaration.
      const isNested = /^[^;}]*\{/.test(failed) && /Identifier|Colon/.test(message)
      const told = isNested ? NESTING : `This does not parse: ${message}.`
      problems.add(isNested ? 'css_nesting' : 'css_syntax', told, { line, column })
    },
  }) as StyleSheet
}

/** The parser reports an error for two semicolons with only space between them. That is valid CSS. */
const isEmpty = (text: string): boolean => /^[\s;]*$/.test(text)
