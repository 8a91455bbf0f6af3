import type { OptionName } from '../db/tables.ts'

/** Every type that a webhook can ask for, in the order of the reference. */
export const EVENT_TYPES = [
  'poll.voted',
  'poll.tallies_updated',
  'poll.created',
  'poll.updated',
  'poll.opened',
  'poll.closed',
  'poll.deleted',
  'campaign.created',
  'campaign.updated',
  'campaign.deleted',
  'campaign.step_completed',
  'campaign.completed',
  'brand.updated',
  'brand.theme_updated',
  'webhook.test',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

interface PollName {
  readonly id: string
  readonly slug: string
}

interface Counts {
  readonly optionA: number
  readonly optionB: number
  readonly total: number
}

interface Step {
  readonly campaign: { readonly campaignId: string; readonly title: string }
  readonly respondentId: string
  readonly completedSteps: number
  readonly totalSteps: number
}

/** What each type tells. Whole resources are given as their presenters make them for their owner. */
export interface EventData {
  'poll.voted': {
    readonly poll: PollName
    readonly option: OptionName
    readonly votedAt: string
    readonly respondentId: string
    readonly tallies: Counts
  }
  'poll.tallies_updated': { readonly poll: PollName; readonly tallies: Counts; readonly version: number }
  'poll.created': { readonly poll: object }
  'poll.updated': { readonly poll: object }
  'poll.opened': { readonly poll: object }
  'poll.closed': { readonly poll: object }
  'poll.deleted': { readonly poll: PollName }
  'campaign.created': { readonly campaign: object }
  'campaign.updated': { readonly campaign: object }
  'campaign.deleted': { readonly campaign: object }
  'campaign.step_completed': Step
  'campaign.completed': Step
  'brand.updated': { readonly brand: object }
  'brand.theme_updated': { readonly theme: object }
  'webhook.test': { readonly webhookId: string }
}

interface OneEvent<Type extends EventType> {
  readonly brandKey: number
  readonly type: Type
  /** When it happened, where that is not now. */
  readonly at?: number
  /** Asked only if somebody wants to know. */
  readonly data: () => EventData[Type] | Promise<EventData[Type]>
}

/** Votes are told of by the ledger, many at once. */
type SingleType = Exclude<EventType, 'poll.voted'>

export type NewEvent = { [Type in SingleType]: OneEvent<Type> }[SingleType]

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES)

export const storedEvents = (types: readonly EventType[]): string => types.join(' ')

export const eventsOf = (stored: string): EventType[] =>
  stored.split(' ').filter((name): name is EventType => KNOWN.has(name))
