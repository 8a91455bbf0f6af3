import { serveJobs } from '../../../base/isolation/serve-jobs.ts'
import { printCss } from './print-css.ts'
import type { CssProblem } from './problems.ts'
import { cssProblems, parseCss } from './read-css.ts'

export interface ReadStylesheet {
  readonly problems: readonly CssProblem[]
  /** As it is served; empty where there are problems. */
  readonly printed: string
}

serveJobs((css: string): ReadStylesheet => {
  const problems = cssProblems(css)
  return { problems, printed: problems.length > 0 ? '' : printCss(parseCss(css)) }
})
