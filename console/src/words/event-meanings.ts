// Made by `npm run facts` from server/src/events/event-catalogue.ts.
import type { WebhookEventType } from '../../../sdk/src/index.ts'

/** When each event is sent, in the order of the reference, in English. */
export const EVENT_MEANINGS: Readonly<Record<WebhookEventType, string>> = {
  'poll.voted': 'A vote was counted.',
  'poll.tallies_updated': 'The counts of a poll changed. Sent at most once per second and poll.',
  'poll.created': 'A poll was created.',
  'poll.updated': 'The owner changed a poll.',
  'poll.opened': 'A poll opened, at its `opensAt` or because of a change.',
  'poll.closed': 'A poll closed, at its `closesAt` or because of a change.',
  'poll.milestone': 'The votes of a poll have reached 10, 100, 1,000 and so on, each once.',
  'poll.deleted': 'A poll was deleted.',
  'poll.integrity_alert': 'The votes of a poll are conspicuous. At most once an hour and poll.',
  'campaign.created': 'A campaign was created.',
  'campaign.updated': 'The owner changed a campaign.',
  'campaign.deleted': 'A campaign was deleted.',
  'campaign.step_completed': 'A device voted on a poll of a campaign.',
  'campaign.completed': 'A device has completed a campaign, as its progress says. Raised once for a device.',
  'brand.updated': 'The profile of the brand changed.',
  'brand.theme_updated': 'The theme of the brand changed.',
  'webhook.test': 'The brand requested a test delivery. Sent even if the webhook does not subscribe to it.',
}
