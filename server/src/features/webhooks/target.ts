import { invalidField } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import { asciiUrl, targetProblem } from './sending/target/url.ts'

export const LONGEST_URL = 2_048

export function storableTarget(config: Config, text: string): string {
  const problem = targetProblem(text, config)
  if (problem) throw invalidField('url', problem.code, problem.message)
  const url = asciiUrl(text)
  // Percent-encoding makes a character up to twelve times as long.
  if (url.length > LONGEST_URL) throw invalidField('url', 'too_big', `At most ${LONGEST_URL} characters in ASCII.`)
  return url
}
