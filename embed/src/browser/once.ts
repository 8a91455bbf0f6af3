// The parts that `/embed/parts/*.js` take from `/embed.js` instead of holding a copy: a page has one instance of each.

// biome-ignore lint/performance/noBarrelFile: an entry of the bundler, which nothing here imports at run time
export { html } from '../html.ts'
export { isSet } from '../looks.ts'
export { directionOf, langOf, wordsOf } from '../words.ts'
export { appendDiv } from './append-div.ts'
export { findKept, hearOf } from './kept-votes.ts'
export { patch } from './patch.ts'
export { PollCard } from './poll-card.ts'
export { tellHere } from './same-votes.ts'
export { addressOf, codeOf, isMissing, readCampaigns, voter } from './service.ts'
export { hasVotedOn } from './voted-polls.ts'
export { waiting } from './waiting.ts'
