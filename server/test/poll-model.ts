/** A second, simple implementation of the rules of polls and votes, with which the service is compared. */

export type Policy = 'always' | 'after_vote' | 'after_close' | 'never'

export interface Fields {
  readonly title?: string
  readonly isDraft?: boolean
  readonly isPrivate?: boolean
  readonly resultsVisibility?: Policy
  readonly opensAt?: number | null
  readonly closesAt?: number | null
  readonly archived?: boolean
}

export interface ModelPoll {
  readonly brand: number
  readonly id: string
  readonly names: readonly string[]
  readonly createdAt: number
  fields: Required<Fields>
  isDeleted: boolean
  isRevised: boolean
  readonly votes: Map<number, { option: 'A' | 'B'; votedAt: string }>
}

type Refusal = { status: number; code: string; details?: Record<string, unknown> }

const DEFAULTS: Required<Fields> = {
  title: 'Tea or coffee?',
  isDraft: false,
  isPrivate: false,
  resultsVisibility: 'always',
  opensAt: null,
  closesAt: null,
  archived: false,
}

export const withDefaults = (fields: Fields): Required<Fields> => ({ ...DEFAULTS, ...fields })

export const isWindowEmpty = ({ opensAt, closesAt }: Fields): boolean =>
  typeof opensAt === 'number' && typeof closesAt === 'number' && opensAt >= closesAt

export function statusOf({ fields }: ModelPoll, now: number): 'scheduled' | 'open' | 'closed' {
  const { opensAt, closesAt, archived } = fields
  if (archived) return 'closed'
  if (opensAt !== null && opensAt > now) return 'scheduled'
  return closesAt === null || closesAt > now ? 'open' : 'closed'
}

export const isPublic = (poll: ModelPoll): boolean => !poll.isDeleted && !poll.fields.isDraft

const MISSING: Refusal = { status: 404, code: 'NOT_FOUND' }
const INVALID: Refusal = { status: 422, code: 'VALIDATION_ERROR' }

/** Null if the update is allowed. */
export function refusedUpdate(poll: ModelPoll, brand: number, patch: Fields): Refusal | null {
  if (isWindowEmpty(patch)) return INVALID
  if (poll.isDeleted || poll.brand !== brand) return MISSING
  if (isWindowEmpty({ ...poll.fields, ...patch })) return INVALID
  return patch.isDraft && poll.votes.size > 0 ? { status: 409, code: 'POLST_HAS_VOTES' } : null
}

export function update(poll: ModelPoll, patch: Fields): void {
  if (poll.votes.size > 0 && patch.title !== undefined && patch.title !== poll.fields.title) poll.isRevised = true
  poll.fields = { ...poll.fields, ...patch }
}

export const refusedDelete = (poll: ModelPoll, brand: number): Refusal | null =>
  poll.isDeleted || poll.brand !== brand ? MISSING : null

/** Null if the vote is counted. */
export function refusedVote(poll: ModelPoll, device: number, now: number): Refusal | null {
  if (!isPublic(poll)) return MISSING
  const status = statusOf(poll, now)
  const existing = poll.votes.get(device)
  const details = existing ? { existingVote: existing } : {}
  if (poll.fields.archived)
    return { status: 409, code: 'POLST_CLOSED', details: { status, archived: true, ...details } }
  if (status !== 'open') return { status: 409, code: 'POLST_CLOSED', details: { status, ...details } }
  return existing ? { status: 409, code: 'VOTE_ALREADY_CAST', details } : null
}

export function talliesOf(poll: ModelPoll, viewer: 'public' | 'voter' | 'owner', now: number) {
  const policy = poll.fields.resultsVisibility
  const isShown =
    viewer === 'owner' ||
    policy === 'always' ||
    (policy === 'after_vote' && viewer === 'voter') ||
    (policy === 'after_close' && statusOf(poll, now) === 'closed')
  if (!isShown) return { optionA: 0, optionB: 0, total: 0, hidden: true }
  const votes = [...poll.votes.values()]
  const optionA = votes.filter(({ option }) => option === 'A').length
  return { optionA, optionB: votes.length - optionA, total: votes.length }
}

export type Order = 'recent' | 'popular' | 'closing'

/** `polls` in the order of their creation. */
export function feedOf(
  polls: readonly ModelPoll[],
  { brand, status, order, now }: { brand: number; status: string; order: Order; now: number },
): ModelPoll[] {
  const listed = polls.filter((poll) => {
    const own = statusOf(poll, now)
    const isListed = isPublic(poll) && !poll.fields.isPrivate && !poll.fields.archived && own !== 'scheduled'
    return isListed && poll.brand === brand && (status === 'all' || status === own)
  })
  const newestFirst = listed.toReversed()
  if (order === 'popular')
    return newestFirst.sort((a, b) => talliesOf(b, 'public', now).total - talliesOf(a, 'public', now).total)
  if (order === 'recent') return newestFirst.sort((a, b) => b.createdAt - a.createdAt)
  const closesAt = (poll: ModelPoll) => poll.fields.closesAt ?? Number.POSITIVE_INFINITY
  const isClosed = (poll: ModelPoll) => statusOf(poll, now) === 'closed'
  const open = listed.filter((poll) => !isClosed(poll)).sort((a, b) => compare(closesAt(a), closesAt(b)))
  return [...open, ...listed.filter(isClosed).sort((a, b) => compare(closesAt(b), closesAt(a)))]
}

const compare = (a: number, b: number): number => (a === b ? 0 : a - b)

export const ownedBy = (polls: readonly ModelPoll[], brand: number): ModelPoll[] =>
  polls
    .filter((poll) => poll.brand === brand && !poll.isDeleted)
    .toReversed()
    .sort((a, b) => b.createdAt - a.createdAt)
