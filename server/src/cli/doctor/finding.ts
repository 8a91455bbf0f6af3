// cli/doctor: what can be wrong with a server and its surroundings, one file for each part.

import { FINDINGS, type FindingCode } from '../../features/operator/findings.ts'

export interface Finding {
  /** The part of the installation that was examined. */
  readonly part: string
  readonly status: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** The advice on how to fix it; null if nothing has to be done. */
  readonly advice: string | null
}

export const ok = (part: string, found: string): Finding => ({ part, status: 'ok', found, advice: null })

export const warning = (part: string, found: string, advice: string): Finding => ({
  part,
  status: 'warning',
  found,
  advice,
})

export const fault = (part: string, found: string, advice: string): Finding => ({
  part,
  status: 'fault',
  found,
  advice,
})

interface Seen {
  /** Values for the placeholders of the advice. */
  readonly values?: Readonly<Record<string, string | number>>
  readonly example?: string
}

/** A finding of the list that the operator's page shows too, in the same words. */
export function listed(part: string, code: FindingCode, { values = {}, example }: Seen = {}): Finding {
  const { level, title, advice } = FINDINGS[code]
  const filled = advice.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
  return { part, status: level, found: example === undefined ? title : `${title}: ${example}`, advice: filled }
}
