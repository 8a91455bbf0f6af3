// features/themes/css: reads the stylesheet of a brand strictly and prints what is allowed.

import type { CssNode, StyleSheet } from 'css-tree'
import parse from 'css-tree/parser'
import { checkStyleSheet } from './check-style-sheet.ts'
import { checkText } from './check-text.ts'
import { type CssProblem, NESTING, Problems, ReadEnough } from './problems.ts'

/** What a stylesheet is refused for, in the order of its lines; none when it is taken. */
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
      // Without one, the parser goes on to try another reading.
      if (!fallback?.loc) return
      const failed = text.slice(fallback.loc.start.offset, fallback.loc.end.offset)
      if (isEmpty(failed)) return
      // A rule inside of a rule looks to the parser like a declaration gone wrong.
      const isNested = /^[^;}]*\{/.test(failed) && /Identifier|Colon/.test(message)
      const told = isNested ? NESTING : `This does not parse: ${message}.`
      problems.add(isNested ? 'css_nesting' : 'css_syntax', told, { line, column })
    },
  }) as StyleSheet
}

/** Of two semicolons with nothing but space between them, the parser makes a fault. It is none. */
const isEmpty = (text: string): boolean => /^[\s;]*$/.test(text)
