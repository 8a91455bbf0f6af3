import type { Counted } from '../db/vote-store.ts'

export type Change =
  | { readonly kind: 'poll'; readonly pollKey: number; readonly brandKey: number | null }
  | { readonly kind: 'brand' | 'webhooks'; readonly brandKey: number }
  | { readonly kind: 'votes'; readonly counted: ReadonlyMap<number, Counted> }
  | { readonly kind: 'work' }

export const NOTICE_OF_WORK = JSON.stringify(['work'])

/** A PostgreSQL notice holds less than 8,000 bytes; the counts of one poll take at most 86. */
const POLLS_PER_NOTICE = 80

export const noticeText = (change: Exclude<Change, { kind: 'votes' | 'work' }>): string =>
  change.kind === 'poll'
    ? JSON.stringify(['poll', change.pollKey, change.brandKey])
    : JSON.stringify([change.kind, change.brandKey])

export function noticesOfVotes(counted: ReadonlyMap<number, Counted>): string[] {
  const rows = [...counted].map(([key, { option_a, option_b, version, counted_at }]) => [
    key,
    option_a,
    option_b,
    version,
    counted_at,
  ])
  const notices: string[] = []
  for (let at = 0; at < rows.length; at += POLLS_PER_NOTICE) {
    notices.push(JSON.stringify(['votes', ...rows.slice(at, at + POLLS_PER_NOTICE)]))
  }
  return notices
}

type Row = [key: number, a: number, b: number, version: number, at: number]

/** Null for an unknown kind: during an upgrade, a newer server may share the database. */
export function changeOf(text: string): Change | null {
  const [kind, ...values] = JSON.parse(text) as [string, ...unknown[]]
  if (kind === 'poll') return { kind, pollKey: values[0] as number, brandKey: values[1] as number | null }
  if (kind === 'brand' || kind === 'webhooks') return { kind, brandKey: values[0] as number }
  if (kind === 'work') return { kind }
  if (kind !== 'votes') return null
  const counted = new Map(
    (values as Row[]).map(([key, option_a, option_b, version, counted_at]) => [
      key,
      { option_a, option_b, version, counted_at },
    ]),
  )
  return { kind, counted }
}
