import { z } from 'zod'
import { count, optionName, respondentId, timestamp, uuid } from '../base/fields.ts'
import { ownBrand } from './resources/brand.ts'
import { ownedCampaign } from './resources/campaign.ts'
import { closingInsight } from './resources/insight.ts'
import { ownedPoll } from './resources/poll.ts'
import { tallies } from './resources/tallies.ts'
import { theme } from './resources/theme.ts'

/** Everything about an event. The reference, the guide and the client library are generated from it. */
interface EventEntry<Data extends z.ZodObject = z.ZodObject> {
  readonly when: string
  readonly data: Data
}

const event = <Shape extends z.ZodRawShape>(when: string, shape: Shape): EventEntry<z.ZodObject<Shape>> => ({
  when,
  data: z.object(shape),
})

const pollName = z
  .object({
    id: uuid.describe('The permanent id of the poll.'),
    slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
  })
  .meta({ id: 'PollName', description: 'A poll, by its id and slug.' })

const poll = ownedPoll.describe('The poll as its owner sees it.')
const campaign = ownedCampaign.describe('The campaign as its owner sees it.')
const counts = tallies.describe('The counts, even if they are hidden from visitors.')

const step = {
  campaign: z
    .object({
      campaignId: uuid.describe('The permanent id of the campaign.'),
      title: z.string().meta({ description: 'The title of the campaign.', examples: ['Breakfast week'] }),
    })
    .describe('The campaign, by its id and title.'),
  respondentId,
  completedSteps: count.meta({ description: 'How many polls of the campaign the device has voted on.', examples: [5] }),
  totalSteps: count.meta({ description: 'The number of polls in the campaign.', examples: [5] }),
}

/** Every event that a webhook can receive, in the order of the reference. */
export const EVENTS = {
  'poll.voted': event('A vote was counted.', {
    poll: pollName.describe('The poll that was voted on.'),
    option: optionName.describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the vote was counted.'),
    respondentId,
    tallies: tallies.describe('The counts including this vote.'),
  }),
  'poll.tallies_updated': event('The counts of a poll changed. Sent at most once per second and poll.', {
    poll: pollName.describe('The poll whose counts changed.'),
    tallies: counts,
    version: count.meta({ description: 'Increases with every change of the counts.', examples: [61] }),
  }),
  'poll.created': event('A poll was created.', { poll }),
  'poll.updated': event('The owner changed a poll.', { poll }),
  'poll.opened': event('A poll opened, at its `opensAt` or because of a change.', { poll }),
  'poll.closed': event('A poll closed, at its `closesAt` or because of a change.', {
    poll,
    insight: closingInsight.describe('The meaning of the counts at that time.'),
  }),
  'poll.milestone': event('The votes of a poll have reached 10, 100, 1,000 and so on, each once.', {
    poll,
    total: count.meta({ description: 'The number of votes that was reached.', examples: [100] }),
  }),
  'poll.deleted': event('A poll was deleted.', { poll: pollName.describe('The deleted poll.') }),
  'poll.integrity_alert': event('The votes of a poll are conspicuous. At most once an hour and poll.', {
    poll: pollName.describe('The poll with the conspicuous votes.'),
    score: z
      .int()
      .min(0)
      .max(100)
      .meta({ description: 'How conspicuous the votes of this hour are, from 0 to 100.', examples: [70] }),
    reasons: z.array(z.string()).meta({
      description: 'The conspicuous facts, in English sentences.',
      examples: [['One network cast 62 % of the votes.', 'Ten networks cast 90 % of the votes.']],
    }),
  }),
  'campaign.created': event('A campaign was created.', { campaign }),
  'campaign.updated': event('The owner changed a campaign.', { campaign }),
  'campaign.deleted': event('A campaign was deleted.', { campaign }),
  'campaign.step_completed': event('A device voted on a poll of a campaign.', step),
  'campaign.completed': event(
    'A device has completed a campaign, as its progress says. Raised once for a device.',
    step,
  ),
  'brand.updated': event('The profile of the brand changed.', {
    brand: ownBrand.describe('The brand after the change.'),
  }),
  'brand.theme_updated': event('The theme of the brand changed.', {
    theme: theme.describe('The theme after the change.'),
  }),
  'webhook.test': event('The brand requested a test delivery. Sent even if the webhook does not subscribe to it.', {
    webhookId: uuid.describe('The id of the tested webhook.'),
  }),
}

export type EventType = keyof typeof EVENTS

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** For code that iterates over all events. To read one event, use `EVENTS`, which has the type of its data. */
export const eventEntries = Object.entries(EVENTS) as [EventType, EventEntry][]

/** Left out of the event feed: those that name a respondent, those that come in thousands, and those about a webhook. */
const UNFED: ReadonlySet<EventType> = new Set([
  'poll.voted',
  'poll.tallies_updated',
  'campaign.step_completed',
  'campaign.completed',
  'webhook.test',
])

/** In the event feed of its brand, whether or not a webhook wants it. */
export const isFed = (type: EventType): boolean => !UNFED.has(type)

export const FED_TYPES = EVENT_TYPES.filter(isFed) as [EventType, ...EventType[]]

export type EventData = { readonly [Type in EventType]: z.output<(typeof EVENTS)[Type]['data']> }

/** The event types whose data has this schema. */
export type EventsWith<Data> = { [Type in EventType]: EventData[Type] extends Data ? Type : never }[EventType]

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
