import { EVENT_TYPES, type EventData, type EventType } from './event-catalogue.ts'

interface OneEvent<Type extends EventType> {
  readonly brandKey: number
  readonly type: Type
  /** The time of the event, if it is not now. */
  readonly at?: number
  /** Called only if a webhook wants the event. */
  readonly data: () => EventData[Type] | Promise<EventData[Type]>
}

/** Without `poll.voted`, which the ledger writes itself, many in one row. */
type SingleType = Exclude<EventType, 'poll.voted'>

export type NewEvent = { [Type in SingleType]: OneEvent<Type> }[SingleType]

const KNOWN: ReadonlySet<string> = new Set(EVENT_TYPES)

export const storedEvents = (types: readonly EventType[]): string => types.join(' ')

export const eventsOf = (stored: string): EventType[] =>
  stored.split(' ').filter((name): name is EventType => KNOWN.has(name))
