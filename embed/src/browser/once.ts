import { html } from '../render/html.ts'
import { isSet } from '../theme/looks.ts'
import { directionOf, langOf, wordsOf } from '../words.ts'
import { API, addressOf } from './address-of.ts'
import { patch } from './patch.ts'
import { PollCard } from './poll-card.ts'
import { appendDiv } from './result/append-div.ts'
import { codeOf, fetchFile, isMissing, voter } from './service.ts'
import { findKept, hearOf } from './votes/kept-votes.ts'
import { tellHere } from './votes/same-votes.ts'
import { hasVotedOn } from './votes/voted-polls.ts'
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
  API,
  addressOf,
  codeOf,
  fetchFile,
  isMissing,
  voter,
  hasVotedOn,
  waiting,
]
