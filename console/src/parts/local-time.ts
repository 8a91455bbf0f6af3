/** A moment as an input of the type `datetime-local` has it: in the viewer's zone, to the minute. */
export function localOf(at: string | null): string {
  if (at === null) return ''
  const date = new Date(at)
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const utcOf = (local: string): string | null => (local === '' ? null : new Date(local).toISOString())

/** An unchanged time keeps its seconds. */
export const changedTime = (local: string, before: string | null): string | null | undefined =>
  local === localOf(before) ? undefined : utcOf(local)
