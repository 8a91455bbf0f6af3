import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
}

/** A third of what the package itself loads, and half a megabyte: a browser has it sooner. */
export const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const ALL_RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Otherwise axe also describes each element that obeys a rule, and where in the page an element is. */
const VIOLATIONS_ALONE = { resultTypes: ['violations'], selectors: false }

/** Letters that fade in have little contrast until they are there, and halfway between two schemes a colour has that of neither. */
const END_MOTION = `(function end(root) {
  for (const motion of root.getAnimations()) if (motion.effect.getComputedTiming().endTime < Infinity) motion.finish()
  for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) end(shadowRoot)
})(document)`

/** Violations that axe finds on a page: by the rules of WCAG 2.2 AA and its own, or by `rules`. */
export async function violationsOf(page: Page, rules: readonly string[] = ALL_RULES): Promise<string[]> {
  // Each page gets it only once.
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(`${AXE};undefined`)
  await page.evaluate<void>(END_MOTION)
  const options = JSON.stringify({ runOnly: rules, ...VIOLATIONS_ALONE })
  // Playwright would write down the elements that obey a rule, too.
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}
