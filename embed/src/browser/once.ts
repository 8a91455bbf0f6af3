import { bodyOf } from '../../../sdk/src/wire/http.ts'
import { mayArriveLater, WaitingVotes } from '../../../sdk/src/wire/waiting-votes.ts'
import { html } from '../render/html.ts'
import { SLOTS } from '../render/render-choice.ts'
import { areResultsShown, sharesIn } from '../results.ts'
import { isSet } from '../theme/looks.ts'
import { directionOf, langOf, votesIn, wordsOf } from '../words.ts'
import { API, addressOf } from './address-of.ts'
import { load } from './parts.ts'
import { patch } from './patch.ts'
import { PollCard } from './poll-card.ts'
import { appendDiv } from './result/append-div.ts'
import { codeOf, fetchFile, isMissing, voter } from './service.ts'
import { findKept, hearers, hearOf } from './votes/kept-votes.ts'
import { pageStore } from './votes/page-store.ts'
import { tellHere } from './votes/same-votes.ts'
import { hasVotedOn, noted, noteVote } from './votes/voted-polls.ts'
import { waiting } from './waiting.ts'

/**
 * The parts that `/embed/parts/*.js` take from `/embed.js` instead of holding a copy: a page has one instance of each.
 * A list, because the bundler would keep each name of an object and add getters to a module's.
 */
export const once = [
  bodyOf,
  html,
  SLOTS,
  areResultsShown,
  sharesIn,
  isSet,
  directionOf,
  langOf,
  votesIn,
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
  noteVote,
  noted,
  WaitingVotes,
  mayArriveLater,
  hearers,
  pageStore,
  waiting,
  load,
]
