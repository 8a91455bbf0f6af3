import { DAY, SECOND } from '../src/base/clock.ts'
import { readConfig } from '../src/config/config.ts'
import { type Limit, mostOf } from '../src/http/limits/limits.ts'

const config = readConfig({})

/** The quota of a server with default settings. */
export const defaultOf = (limit: Limit): number => mostOf(limit, config)

export function windowText({ windowSeconds }: Limit): string {
  if (windowSeconds === null) return 'at the same time'
  return windowSeconds === DAY / SECOND ? 'in 24 hours' : `in ${windowSeconds} seconds`
}
