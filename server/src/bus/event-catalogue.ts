import { z } from 'zod'
import { count, optionName, respondentId, timestamp, uuid } from '../base/fields.ts'
import { ownBrand } from '../resources/brand.ts'
import { ownedCampaign } from '../resources/campaign.ts'
import { ownedPoll } from '../resources/poll.ts'
import { tallies } from '../resources/tallies.ts'
import { theme } from '../resources/theme.ts'

/** All that is known of an event. The reference, the guide and the client library are made from it. */
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
    id: uuid.describe('Names the poll for ever.'),
    slug: z.string().meta({ description: 'The readable name of the poll.', examples: ['tea-or-coffee'] }),
  })
  .meta({ id: 'PollName', description: 'Which poll it is.' })

const poll = ownedPoll.describe('The poll as its owner sees it.')
const campaign = ownedCampaign.describe('The campaign as its owner sees it.')
const counts = tallies.describe('The counts, also where visitors do not see them.')

const step = {
  campaign: z
    .object({
      campaignId: uuid.describe('Names the campaign for ever.'),
      title: z.string().meta({ description: 'Its title.', examples: ['Breakfast week'] }),
    })
    .describe('Which campaign it is.'),
  respondentId,
  completedSteps: count.meta({ description: 'How many of its polls the device has voted on.', examples: [5] }),
  totalSteps: count.meta({ description: 'How many polls it has.', examples: [5] }),
}

/** Every event that a webhook can be told of, in the order of the reference. */
export const EVENTS = {
  'poll.voted': event('A vote was counted.', {
    poll: pollName.describe('The poll that was voted on.'),
    option: optionName.describe('The option that the device voted for.'),
    votedAt: timestamp.describe('When the vote was counted.'),
    respondentId,
    tallies: tallies.describe('The counts with this vote.'),
  }),
  'poll.tallies_updated': event('The counts of a poll changed: at most once a second for each poll.', {
    poll: pollName.describe('The poll whose counts changed.'),
    tallies: counts,
    version: count.meta({ description: 'Grows with every change of the counts.', examples: [61] }),
  }),
  'poll.created': event('A poll was created.', { poll }),
  'poll.updated': event('The owner changed a poll.', { poll }),
  'poll.opened': event('A poll opened, by the clock or by a change.', { poll }),
  'poll.closed': event('A poll closed, by the clock or by a change.', { poll }),
  'poll.deleted': event('A poll was deleted.', { poll: pollName.describe('The poll that is gone.') }),
  'campaign.created': event('A campaign was created.', { campaign }),
  'campaign.updated': event('The owner changed a campaign.', { campaign }),
  'campaign.deleted': event('A campaign was deleted.', { campaign }),
  'campaign.step_completed': event('A device voted on a poll of a campaign.', step),
  'campaign.completed': event('A device has voted on every poll of a campaign.', step),
  'brand.updated': event('The profile of the brand changed.', { brand: ownBrand.describe('The brand as it now is.') }),
  'brand.theme_updated': event('The theme of the brand changed.', { theme: theme.describe('The theme as it now is.') }),
  'webhook.test': event('Somebody asked for a test, whatever the webhook listens to.', {
    webhookId: uuid.describe('The webhook that is tested.'),
  }),
}

export type EventType = keyof typeof EVENTS

export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]]

/** For those that go through all of them; where one type is meant, `EVENTS` knows its data. */
export const eventEntries = Object.entries(EVENTS) as [EventType, EventEntry][]

export type EventData = { readonly [Type in EventType]: z.output<(typeof EVENTS)[Type]['data']> }
