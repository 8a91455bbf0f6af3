/** The tags of the reference, in its order, with their descriptions. */
export const TAGS = {
  Votes: 'Votes of devices, their progress through campaigns, and requests to be forgotten.',
  Polls: 'Polls, their live counts, feeds and categories, for visitors and for their owner.',
  Campaigns: 'Ordered lists of polls, for visitors and for their owner.',
  Analytics: 'Voters, respondents and timelines, for the owner of a poll or a campaign.',
  Brands: 'The profile of a brand.',
  Themes: 'The look of the polls of a brand.',
  Pictures: 'Uploads of pictures and their files.',
  Webhooks: 'Webhooks of a brand and the log of their deliveries.',
  Events: 'The requests that a webhook receives.',
  Activity: 'Who changed what.',
  Tokens: 'Access tokens and refresh tokens, for servers with an API key.',
  People: 'Members of a brand, invitations, sessions and passkeys, for the people who work for brands.',
  Embeds: 'Scripts, stylesheets and frames that show polls in other pages.',
  Pages: 'HTML pages, share pictures, QR codes and sitemaps.',
  Service: 'Health checks and this reference.',
} as const

export type Tag = keyof typeof TAGS
