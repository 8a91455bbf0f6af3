// features/votes: casts votes and raises their events. `decide.ts` is the rule, `cast-vote.ts` makes the errors of its refusals, `ledger.ts` queues votes and commits them in groups.
// A vote is answered when its commit is durable; tallies always equal the stored votes.

import type { z } from 'zod'
import { AppError, type ErrorCode, notFound } from '../../base/errors.ts'
import type { Config } from '../../config/config.ts'
import type { Ballot } from '../../db/vote-store.ts'
import { pollParams } from '../../events/resources/poll.ts'
import type { Answer } from '../../http/answers/answer.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { type Claim, type Quota, quotaOf } from '../../http/limits/limits.ts'
import { type Route, route } from '../../http/route.ts'
import { isLiveCode } from '../codes/queries.ts'
import { CODE_HEADER, codeOf, hasCode, voterByCode } from '../codes/request-code.ts'
import type { Deps } from '../deps.ts'
import type { Device } from '../people/tokens/device.ts'
import { networkKey, networkName, type Voter, voter } from '../people/tokens/guards.ts'
import { findPublicTallies } from '../polls/queries.ts'
import type { PollKeys } from '../polls/snapshots/poll-keys.ts'
import type { PollSnapshots } from '../polls/snapshots/poll-snapshots.ts'
import type { Snapshot } from '../polls/snapshots/snapshot.ts'
import { presentTallies } from '../polls/status.ts'
import { answerTo } from './cast-vote.ts'
import { ChallengePolicy, NOTHING_DUE } from './challenges/challenges.ts'
import type { Ledger } from './ledger.ts'
import { mayVoteFrom } from './may-vote-from.ts'
import { findVote } from './queries.ts'
import { attributionOf, presentVote, voteAnswer, voteBody } from './schema.ts'
import type { RefusalReason, VoteWatch } from './vote-watch.ts'

/** From the network itself to the widest one around it, as `Incoming.networks` lists them. */
const POLL_LIMITS = ['networkVotes', 'networkVotesWide', 'networkVotesWidest'] as const
const BRAND_LIMITS = ['networkBrandVotes', 'networkBrandVotesWide', 'networkBrandVotesWidest'] as const

interface VotedOn {
  /** The key of the poll; the reference that was asked for, where there is no such poll. */
  readonly poll: number | string
  /** Null for polls that the public does not see. */
  readonly brandKey: number | null
}

/** The limits of votes by network: on one poll, and on all polls of a brand. */
class NetworkClaims {
  readonly #keys: Pick<Deps, 'keys'>
  /** By tier; null where there is no limit. */
  readonly #ofPoll: readonly (Quota | null)[]
  readonly #ofBrand: readonly (Quota | null)[]
  readonly areOff: boolean

  constructor({ config, keys }: { config: Config } & Pick<Deps, 'keys'>) {
    const set = (name: (typeof POLL_LIMITS | typeof BRAND_LIMITS)[number]): Quota | null => {
      const quota = quotaOf(name, config)
      return quota.quota === 0 ? null : quota
    }
    this.#keys = { keys }
    this.#ofPoll = POLL_LIMITS.map(set)
    this.#ofBrand = BRAND_LIMITS.map(set)
    this.areOff = [...this.#ofPoll, ...this.#ofBrand].every((quota) => quota === null)
  }

  of({ networks }: Incoming, { poll, brandKey }: VotedOn): Claim[] {
    const claims: Claim[] = []
    for (let tier = 0; tier < networks.length; tier++) {
      const [ofPoll, ofBrand] = [this.#ofPoll[tier], this.#ofBrand[tier]]
      if (!ofPoll && !ofBrand) continue
      const network = networks[tier] as string
      const key = networkKey(this.#keys, network)
      if (ofPoll && typeof poll === 'number') claims.push({ quota: ofPoll, key, within: poll })
      else if (ofPoll) claims.push({ quota: ofPoll, key: `${poll}:${networkName(this.#keys, network)}` })
      if (ofBrand && brandKey !== null) claims.push({ quota: ofBrand, key, within: brandKey })
    }
    return claims
  }
}

interface Found {
  /** Null if there is no such poll. */
  readonly pollKey: number | null
  /** Null if the public does not see it. */
  readonly poll: Snapshot | null
}

interface Cast {
  readonly identity: Voter
  readonly incoming: Incoming
  readonly body: z.output<typeof voteBody>
  readonly params: { readonly slug: string }
}

export function voteRoutes(
  deps: Deps,
  {
    ledger,
    pollKeys,
    snapshots,
    watch,
  }: { ledger: Ledger; pollKeys: PollKeys; snapshots: PollSnapshots; watch: VoteWatch },
): Route[] {
  const { config, engine } = deps
  const callerQuota = quotaOf('votes', config)
  const refusedQuota = quotaOf('refusedVotes', config)
  const codeFailures = quotaOf('codeFailures', config)
  const networkClaims = new NetworkClaims(deps)
  const challenges = new ChallengePolicy(deps)

  /** The poll from memory; null if its key or its snapshot has to be read. */
  function knownPoll(slug: string): Found | null {
    const pollKey = pollKeys.peek(slug)
    const poll = pollKey === null ? null : snapshots.peek(pollKey)
    return poll ? { pollKey, poll } : null
  }

  async function findPoll(slug: string): Promise<Found> {
    const pollKey = await pollKeys.find(slug)
    try {
      return { pollKey, poll: pollKey === null ? null : await snapshots.find(pollKey) }
    } catch (error) {
      ledger.noteUnavailable()
      throw error
    }
  }

  /** Votes on missing polls count too, until they are answered: a limit that skipped them would reveal drafts. */
  function withNetworks(caller: Claim, incoming: Incoming, slug: string): Claim[] | Promise<Claim[]> {
    const claims = ({ pollKey, poll }: Found): Claim[] | Promise<Claim[]> => {
      const ofNetwork = () => networkClaims.of(incoming, { poll: pollKey ?? slug, brandKey: poll?.brandKey ?? null })
      const listKey = poll?.codeListKey ?? null
      return listKey === null ? [caller, ...ofNetwork()] : withCode(caller, { incoming, listKey, ofNetwork })
    }
    const known = knownPoll(slug)
    return known ? claims(known) : findPoll(slug).then(claims)
  }

  /**
   * A valid code is worth more than an address: a hall may vote from one. It has the quota of a device, or one code would repeat its vote
   * from any number of devices. Codes that do not count are counted for their network, too.
   */
  async function withCode(
    caller: Claim,
    { incoming, listKey, ofNetwork }: { incoming: Incoming; listKey: number; ofNetwork: () => Claim[] },
  ): Promise<Claim[]> {
    const code = codeOf(deps, incoming)
    if (code === null) return [caller, ...ofNetwork()]
    if (await isLiveCode(engine.db, listKey, code)) return [caller, { quota: callerQuota, key: code }]
    return [caller, { quota: codeFailures, key: networkName(deps, incoming.network) }, ...ofNetwork()]
  }

  /** Refuses a vote from a page that is not listed, and tells which proof the vote brings. */
  function conditions(
    poll: Snapshot,
    { incoming, ...subject }: { incoming: Incoming; pollKey: number; device: Device },
  ) {
    if (!mayVoteFrom(header(incoming, 'origin'), poll, config)) throw new AppError('ORIGIN_NOT_ALLOWED')
    return challenges.proofOf(incoming, { mode: poll.challenge, ...subject })
  }

  function deviceBallot({ identity, body }: Cast, pollKey: number): Ballot {
    const attribution = attributionOf(body)
    return { pollKey, device: identity.device, option: body.option, ...(attribution && { attribution }) }
  }

  /** Polls with codes keep no source. */
  function codeBallot(call: Cast, pollKey: number): Ballot {
    const { incoming, body } = call
    const ballot = deviceBallot({ ...call, body: { ...body, source: undefined } }, pollKey)
    return { ...ballot, device: voterByCode(deps, call), code: codeOf(deps, incoming) }
  }

  async function cast(call: Cast, as?: { readonly isByCode: boolean }): Promise<Answer> {
    const { incoming, params } = call
    const { pollKey, poll } = knownPoll(params.slug) ?? (await findPoll(params.slug))
    if (pollKey === null) throw notFound()
    const { isByCode } = as ?? { isByCode: poll !== null && poll.codeListKey !== null }
    const ballot = isByCode ? codeBallot(call, pollKey) : deviceBallot(call, pollKey)
    // Polls that the public cannot see have no snapshot. The ledger refuses them: it reads the poll as it is now.
    const { due, isSolved } = poll?.hasConditions ? conditions(poll, { incoming, ...ballot }) : NOTHING_DUE
    // Before the commit: the address of a client that has left cannot be read, and its vote counts all the same.
    const { networks } = incoming
    const hasOrigin = header(incoming, 'origin') !== null
    const outcome = await ledger.cast(due ? { ...ballot, isUnproven: true } : ballot)
    // The poll may have got or lost its list since the snapshot was read: the ledger knows no such poll for this ballot.
    if (outcome.kind === 'missing' && poll && !as) return cast(call, { isByCode: !isByCode })
    return answerTo(outcome, { ballot, due, networks, isSolved, hasOrigin, watch })
  }

  return [
    route({
      method: 'POST',
      path: '/polls/{slug}/votes',
      name: 'castVote',
      tag: 'Votes',
      summary: 'Vote, once per device',
      description:
        'The vote is stored durably before the answer is sent. A device has one vote per poll and cannot change it: a repeat is 409 with the first vote. Identify the device by `X-Device-Id`, a UUID that the device keeps, or by an access token with the scope `vote`; if both are sent, the token counts. Where the `admission` of the poll is `code`, the code in `X-Vote-Code` stands for the device: one vote for each code, from any device. It is safe to repeat a request that got no answer: if the first request was counted, the repeat is `VOTE_ALREADY_CAST`.',
      guard: voter(deps, 'vote'),
      caching: 'private',
      params: pollParams,
      body: voteBody,
      limits({ identity, incoming, params }) {
        const caller: Claim = { quota: callerQuota, key: identity.device }
        return params && (!networkClaims.areOff || hasCode(incoming))
          ? withNetworks(caller, incoming, params.slug)
          : [caller]
      },
      refusedLimits: ({ network }) =>
        refusedQuota.quota > 0 ? [{ quota: refusedQuota, key: networkName(deps, network) }] : [],
      answers: { 201: { description: 'The vote, and the counts including it.', schema: voteAnswer } },
      headers: {
        ...CODE_HEADER,
        'X-Challenge-Solution':
          'The solution of the challenge in `details.challenge` of `CHALLENGE_REQUIRED`: the Base64 of a JSON object, as ALTCHA makes it.',
      },
      errors: [
        'NOT_FOUND',
        'ORIGIN_NOT_ALLOWED',
        'POLST_CLOSED',
        'CODE_REQUIRED',
        'INVALID_CODE',
        'VOTE_ALREADY_CAST',
        'CHALLENGE_REQUIRED',
        'RATE_LIMITED',
      ],
      onFailure(error, { slug = '' }) {
        const reason = error instanceof AppError ? REFUSAL_REASONS[error.code as ErrorCode] : undefined
        // Known since the limits looked it up; a poll that does not exist has no report.
        const pollKey = reason ? pollKeys.peek(slug) : null
        if (reason && pollKey !== null) watch.refused(pollKey, reason)
      },
      handle: (call) => cast(call),
    }),

    route({
      method: 'GET',
      path: '/polls/{slug}/votes/me',
      name: 'getOwnVote',
      tag: 'Votes',
      summary: "The calling device's own vote",
      description:
        'Answers 404 if this device has not voted; where the `admission` of the poll is `code`, if it has not voted with the code in `X-Vote-Code`. The counts are those that a voter may see, even if they are hidden from everybody else.',
      guard: voter(deps),
      caching: 'private',
      params: pollParams,
      answers: { 200: { description: 'The vote, and the counts that the voter may see.', schema: voteAnswer } },
      errors: ['NOT_FOUND'],
      headers: CODE_HEADER,
      async handle({ identity, incoming, params, now }) {
        const poll = await findPublicTallies(engine.db, params.slug)
        const device = poll?.code_list_key == null ? identity.device : voterByCode(deps, { identity, incoming })
        const vote = poll && (await findVote(engine, poll.key, device))
        if (!poll || !vote) throw notFound()
        return {
          data: {
            ...presentVote({ option: vote.option, votedAt: vote.voted_at }),
            tallies: presentTallies(poll, 'voter', now),
          },
        }
      },
    }),
  ]
}

/** Why a vote was refused, where that matters to a poll's integrity. */
const REFUSAL_REASONS: Readonly<Partial<Record<ErrorCode, RefusalReason>>> = {
  RATE_LIMITED: 'rate',
  CHALLENGE_REQUIRED: 'challenge',
  ORIGIN_NOT_ALLOWED: 'origin',
  VALIDATION_ERROR: 'invalid',
  MALFORMED_JSON: 'invalid',
  UNSUPPORTED_MEDIA_TYPE: 'invalid',
  PAYLOAD_TOO_LARGE: 'invalid',
  INVALID_CODE: 'invalid',
}
