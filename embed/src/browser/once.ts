import { html } from '../html.ts'
import { isSet } from '../looks.ts'
import { directionOf, langOf, wordsOf } from '../words.ts'
import { appendDiv } from './append-div.ts'
import { findKept, hearOf } from './kept-votes.ts'
import { patch } from './patch.ts'
import { PollCard } from './poll-card.ts'
import { tellHere } from './same-votes.ts'
import { addressOf, codeOf, isMissing, readCampaigns, voter } from './service.ts'
import { hasVotedOn } from './voted-polls.ts'
import { waiting } from './waiting.ts'

/**
 * The parts that `/embed/parts/*.js` take from `/embed.js` instead of holding a copy: a page has one instance of each.
 * A list, because the bundler would keep each name of an object and add getters to a module's.
 */
export const once = [
  html,
  isSet,
  directionOf,
  langOf,
  wordsOf,
  appendDiv,
  findKept,
  hearOf,
  patch,
  PollCard,
  tellHere,
  addressOf,
  codeOf,
  isMissing,
  readCampaigns,
  voter,
  hasVotedOn,
  waiting,
]
