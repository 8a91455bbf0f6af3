import { invalidField } from '../base/errors.ts'
import { textProblem } from '../base/text.ts'

/**
 * Checks every text on its way to either database. Routes refuse such text earlier, with the name of the field; text that
 * gets past a route's own checks is still the client's mistake.
 */
export function assertStorable(parameters: readonly unknown[]): void {
  for (const parameter of parameters) {
    if (Array.isArray(parameter)) assertStorable(parameter)
    const problem = typeof parameter === 'string' ? textProblem(parameter) : null
    if (problem) throw invalidField('', problem.code, problem.message)
  }
}
