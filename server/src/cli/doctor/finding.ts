// cli/doctor: what can be wrong with a server and its surroundings, one file for each part.

import { FINDINGS, type FindingCode } from '../../features/operator/findings.ts'
import { REMEDIES, type RemedyCode } from './remedies.ts'

export interface Finding {
  /** The part of the installation that was examined. */
  readonly part: string
  readonly status: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** The advice on how to fix it; null if nothing has to be done. */
  readonly advice: string | null
}

type Values = Readonly<Record<string, string | number>>

export const ok = (part: string, found: string): Finding => ({ part, status: 'ok', found, advice: null })

/** A finding of the doctor's own list. */
export function problem(code: RemedyCode, found: string, values: Values = {}): Finding {
  const { part, level, advice } = REMEDIES[code]
  return { part, status: level, found, advice: filled(advice, values) }
}

interface Seen {
  /** Values for the placeholders of the advice. */
  readonly values?: Values
  readonly example?: string
}

/** A finding of the list that the operator's page shows too, in the same words. */
export function listed(part: string, code: FindingCode, { values = {}, example }: Seen = {}): Finding {
  const { level, title, advice } = FINDINGS[code]
  const found = example === undefined ? title : `${title}: ${example}`
  return { part, status: level, found, advice: filled(advice, values) }
}

const filled = (advice: string, values: Values): string =>
  advice.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
