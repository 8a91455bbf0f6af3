import { iso } from '../../base/clock.ts'
import { notFound, orNotFound } from '../../base/errors.ts'
import type { Bytes } from '../../base/secrets.ts'
import type { Engine } from '../../db/store.ts'
import { pollParams } from '../../events/resources/poll.ts'
import { anyone, type Route, route } from '../../http/route.ts'
import { CODE_HEADER, voterByCode } from '../codes/request-code.ts'
import type { Deps } from '../deps.ts'
import { brandScope, voter } from '../people/tokens/guards.ts'
import { areResultsHidden } from '../polls/status.ts'
import { findVote } from '../votes/queries.ts'
import { commitmentOf, nonceOf } from './entries.ts'
import { addLogKeys, openLogKey } from './log-keys.ts'
import { LogUrls } from './log-urls.ts'
import { NoteSigner } from './notes.ts'
import { earlierLogs, findLog, findReceiptPoll, type LogRow, leavesAt, tileAt } from './queries.ts'
import { pollLog, presentRestarts, receipt } from './schema.ts'
import { hashesIn, heightsOf, inclusionProof, rootOf, TILE_HEIGHT, TILE_WIDTH } from './tree.ts'

/** A vote is in a checkpoint within about this time. */
const RETRY_SECONDS = '5'

interface Held {
  readonly logKey: number
  readonly pollKey: number
  readonly size: number
  readonly peaks: readonly Uint8Array[]
}

/** Reads the tile of each level that contains the leaf: one query for its votes, and one for each level above. */
async function proofOf(
  engine: Engine,
  { logKey, pollKey, size, peaks }: Held,
  { key, index }: { key: Bytes; index: number },
) {
  const from = index - (index % TILE_WIDTH)
  const tiles = [await leavesAt(engine, key, { pollKey, from, to: Math.min(from + TILE_WIDTH, size) })]
  const [highest = 0] = heightsOf(size)
  for (let level = 1; level * TILE_HEIGHT < highest; level++) {
    const number = Math.floor(index / TILE_WIDTH ** (level + 1))
    tiles.push(hashesIn(await tileAt(engine.db, { logKey, level, number })))
  }
  return inclusionProof({ size, peaks }, index, tiles)
}

export function logRoutes(deps: Deps): Route[] {
  const { engine, keys } = deps
  const signer = new NoteSigner(keys.logSigning)
  const urls = new LogUrls(deps)

  async function present(log: LogRow, url: string) {
    const { origin, size } = log
    return {
      url,
      origin,
      publicKey: signer.verifierKey(origin),
      size,
      checkpoint: signer.checkpoint({ origin, size, root: rootOf(hashesIn(log.peaks)) }),
      checkpointAt: iso(log.checkpoint_at),
      startedAt: iso(log.started_at),
      restarts: presentRestarts(await earlierLogs(engine.db, log.poll_key)),
    }
  }

  /** A poll has a key for its nonces from its first receipt on, even if its log has not begun. */
  async function keyOf(pollKey: number, sealed: Bytes | null): Promise<Bytes> {
    if (sealed) return openLogKey(keys, sealed)
    await addLogKeys(engine.db, keys, [pollKey])
    const row = await engine.db
      .selectFrom('poll_log_keys')
      .select('sealed')
      .where('poll_key', '=', pollKey)
      .executeTakeFirst()
    if (!row) throw notFound()
    return openLogKey(keys, row.sealed)
  }

  return [
    route({
      method: 'GET',
      path: '/polls/{slug}/log',
      name: 'getPollLog',
      tag: 'Polls',
      summary: 'The log by which anybody can check the count',
      description:
        'Each vote is an entry of a transparency log: RFC 6962 hashes, served as C2SP `tlog-tiles` below `url`. A checkpoint is signed, and each extends the last. Answers 404 while results are hidden from the public, and in the first seconds of a poll.',
      guard: anyone,
      caching: 'public',
      params: pollParams,
      answers: { 200: { description: 'The log.', schema: pollLog } },
      errors: ['NOT_FOUND'],
      async handle({ params, now }) {
        const log = orNotFound(await findLog(engine.db, params.slug, { now }))
        return { data: await present(log, urls.of(log)) }
      },
    }),

    route({
      method: 'GET',
      path: '/brands/me/polls/{slug}/log',
      name: 'getOwnPollLog',
      tag: 'Analytics',
      summary: 'The log of a poll, for its owner',
      description:
        'The same as the public log, also while results are hidden from the public. Its `url` holds a token and works for at least a day: whoever has it reads every entry.',
      guard: brandScope(deps, 'analytics'),
      caching: 'private',
      params: pollParams,
      answers: { 200: { description: 'The log.', schema: pollLog } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params, now }) {
        const log = orNotFound(await findLog(engine.db, params.slug, { brandKey }))
        return { data: await present(log, urls.withToken(log, now)) }
      },
    }),

    route({
      method: 'GET',
      path: '/polls/{slug}/votes/me/receipt',
      name: 'getOwnReceipt',
      tag: 'Votes',
      summary: "Where the calling device's vote is in the log",
      description:
        'With the nonce, a voter finds the entry of their vote in every copy of the log, also years later. `index`, `proof` and `checkpoint` are null until a checkpoint holds the vote, with `Retry-After`, and absent while results are hidden from the public. A receipt proves a vote to everybody who has it. Answers 404 if this device has not voted; where the `admission` of the poll is `code`, if it has not voted with the code in `X-Vote-Code`.',
      guard: voter(deps),
      caching: 'private',
      params: pollParams,
      answers: {
        200: { description: 'The receipt.', schema: receipt, headers: { sometimes: ['Retry-After'] } },
      },
      errors: ['NOT_FOUND'],
      headers: CODE_HEADER,
      async handle({ identity, incoming, params, now }) {
        const poll = await findReceiptPoll(engine.db, params.slug)
        const device = poll?.code_list_key == null ? identity.device : voterByCode(deps, { identity, incoming })
        const vote = poll && (await findVote(engine, poll.poll_key, device))
        if (!poll || !vote) throw notFound()
        const { poll_key: pollKey, key: logKey, origin, size, peaks: bytes } = poll
        const key = await keyOf(pollKey, poll.sealed)
        const nonce = nonceOf(key, vote.device)
        const own = { nonce: Buffer.from(nonce).toString('base64url'), commitment: commitmentOf(nonce) }
        if (areResultsHidden(poll, 'public', now)) return { data: own }
        if (logKey === null || origin === null || size === null || bytes === null || vote.position > size) {
          incoming.addHeader('Retry-After', RETRY_SECONDS)
          return { data: { ...own, index: null, proof: null, checkpoint: null } }
        }
        const index = vote.position - 1
        const peaks = hashesIn(bytes)
        const proof = await proofOf(engine, { logKey, pollKey, size, peaks }, { key, index })
        const checkpoint = signer.checkpoint({ origin, size, root: rootOf(peaks) })
        const texts = proof.map((hash) => Buffer.from(hash).toString('base64'))
        return { data: { ...own, index, proof: texts, checkpoint } }
      },
    }),
  ]
}
