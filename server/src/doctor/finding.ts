// doctor: what can be wrong with a server and its surroundings, one file for each part.
// Imports rooms: backup, base, db, http, storage.

export interface Finding {
  /** What was looked at. */
  readonly part: string
  readonly status: 'ok' | 'warning' | 'fault'
  readonly found: string
  /** What to do about it; null if nothing has to be done. */
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
