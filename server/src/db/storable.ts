import { invalidField } from '../base/errors.ts'
import { textProblem } from '../base/text.ts'

/**
 * The gate that every text passes on its way to either database. A request is refused before, with the name of the field;
 * what gets here past its route's own checks is the client's fault all the same.
 */
export function assertStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (Array.isArray(parameter)) assertStorable(parameter)
    const problem = typeof parameter === 'string' ? textProblem(parameter) : null
    if (problem) throw invalidField('', problem.code, problem.message)
  }
}
