/** Every action in the list of activity. An action that emits an event has the name of that event. */
export const ACTIONS = {
  'brand.created': 'The brand was created.',
  'brand.updated': 'The profile was changed.',
  'brand.theme_updated': 'The theme was changed.',
  'poll.created': 'A poll was created.',
  'poll.updated': 'A poll was changed, archived or restored.',
  'poll.deleted': 'A poll was deleted.',
  'campaign.created': 'A campaign was created.',
  'campaign.updated': 'A campaign was changed.',
  'campaign.deleted': 'A campaign was deleted.',
  'upload.requested': 'A ticket to upload a picture was issued, for a poll or for the theme.',
  'webhook.created': 'A webhook was created.',
  'webhook.updated': 'A webhook was changed, enabled or disabled.',
  'webhook.deleted': 'A webhook was deleted.',
  'webhook.secret_rotated': 'A webhook got a new secret.',
  'webhook.test': 'A test delivery was requested.',
  'webhook.redelivered': 'An event was sent to a webhook again.',
  'app.created': 'An app was created, with its API key.',
  'app.updated': 'An app was renamed.',
  'app.secret_rotated': 'An app got a new secret.',
  'app.revoked': 'An app was revoked, with all its tokens.',
  'invitation.created': 'A person was invited.',
  'invitation.deleted': 'An invitation was withdrawn.',
  'member.joined': 'A person accepted an invitation or was admitted.',
  'member.updated': 'The role of a member was changed.',
  'member.removed': 'A member was removed or left.',
} as const

export type Action = keyof typeof ACTIONS

export const ACTION_NAMES = Object.keys(ACTIONS) as [Action, ...Action[]]
