import type { Atrule, Block, CssNode, Rule, SelectorList, StyleSheet } from 'css-tree'
import { checkDeclaration } from './check-declaration.ts'
import { Paint } from './check-paint.ts'
import { checkSelectors } from './check-selectors.ts'
import { NESTING, type Problems } from './problems.ts'

const MOST_RULES = 1_000
const MOST_SELECTORS = 2_000

/** Checks the parsed tree. The names of at-rules and functions have already been checked. */
export function checkStyleSheet(sheet: StyleSheet, problems: Problems): void {
  const counts = { rules: 0, selectors: 0 }
  const paint = new Paint(problems)
  checkRules(sheet, { problems, paint, counts, isInKeyframes: false })
  paint.finish()
}

interface Walk {
  readonly problems: Problems
  readonly paint: Paint
  readonly counts: { rules: number; selectors: number }
  readonly isInKeyframes: boolean
}

function checkRules({ children }: StyleSheet | Block, walk: Walk): void {
  for (const node of children) {
    if (node.type === 'Rule') checkRule(node, walk)
    else if (node.type === 'Atrule') checkAtRule(node, walk)
    else if (node.type !== 'Comment') walk.problems.addAt(node, 'css_syntax', 'Syntax error: expected a rule.')
  }
}

function checkAtRule(node: Atrule, walk: Walk): void {
  const { problems } = walk
  if (!node.block || !node.prelude) {
    problems.addAt(node, 'css_syntax', `Syntax error: @${node.name} requires a condition or name, and a block.`)
  } else if (walk.isInKeyframes) {
    problems.addAt(node, 'css_syntax', 'Syntax error: @keyframes cannot contain at-rules.')
  } else if (holdsUnknown(node.prelude)) {
    problems.addAt(node.prelude, 'css_syntax', `Syntax error in the condition or name of @${node.name}.`)
  } else checkRules(node.block, { ...walk, isInKeyframes: /keyframes$/i.test(node.name) })
}

/** True for parts that the parser kept as raw text because it did not understand them. */
function holdsUnknown(node: CssNode): boolean {
  if (node.type === 'Raw' || node.type === 'GeneralEnclosed') return true
  return 'children' in node && node.children !== null && node.children.some((child) => holdsUnknown(child))
}

function checkRule(rule: Rule, walk: Walk): void {
  const { problems, counts } = walk
  counts.rules++
  if (counts.rules === MOST_RULES + 1) problems.addAt(rule, 'css_size', `Must have at most ${MOST_RULES} rules.`)
  if (rule.prelude.type === 'Raw') {
    problems.addAt(rule, 'css_syntax', 'Syntax error in the selector.')
    return
  }
  const before = counts.selectors
  counts.selectors += rule.prelude.children.size
  if (before <= MOST_SELECTORS && counts.selectors > MOST_SELECTORS) {
    problems.addAt(rule, 'css_size', `Must have at most ${MOST_SELECTORS} selectors.`)
  }
  if (walk.isInKeyframes) checkMoments(rule.prelude, problems)
  else checkSelectors(rule.prelude, problems)
  checkBlock(rule.block, walk)
}

function checkMoments(moments: SelectorList, problems: Problems): void {
  for (const selector of moments.children) {
    const only = selector.type === 'Selector' && selector.children.size === 1 ? selector.children.first : null
    const isMoment = only?.type === 'Percentage' || (only?.type === 'TypeSelector' && /^(from|to)$/i.test(only.name))
    if (!isMoment) problems.addAt(selector, 'css_syntax', 'Syntax error: expected from, to or a percentage.')
  }
}

function checkBlock({ children }: Block, { problems, paint }: Walk): void {
  for (const node of children) {
    if (node.type === 'Declaration') {
      checkDeclaration(node, problems)
      paint.check(node)
    } else if (node.type === 'Rule' || node.type === 'Atrule') problems.addAt(node, 'css_nesting', NESTING)
    else if (node.type !== 'Comment' && node.type !== 'Raw') {
      problems.addAt(node, 'css_syntax', 'Syntax error: expected a declaration.')
    }
  }
}
