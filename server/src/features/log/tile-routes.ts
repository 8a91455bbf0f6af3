import { z } from 'zod'
import { AppError, notFound, orNotFound } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import type { Bytes } from '../../base/secrets.ts'
import { etagOf, publicCacheControl } from '../../http/answers/caching.ts'
import { attachment } from '../../http/answers/content-disposition.ts'
import { streamOf } from '../../http/answers/export.ts'
import { ConcurrencyLimit } from '../../http/limits/concurrency-limit.ts'
import { limits } from '../../http/limits/limits.ts'
import { isLoopback } from '../../http/network.ts'
import { outside, type Route, route } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { networkName } from '../people/tokens/guards.ts'
import { entryOf, entryTile } from './entries.ts'
import { openLogKey } from './log-keys.ts'
import { isGeneration, LogUrls } from './log-urls.ts'
import { NoteSigner } from './notes.ts'
import { earlierLogs, findLogAt, type LogRow, leavesAt, loggedVotesAt, tileAt } from './queries.ts'
import { BUNDLE_FORMAT, bundle, logParams, presentRestarts } from './schema.ts'
import { HASH_BYTES, hashesIn, rootOf, TILE_WIDTH } from './tree.ts'

const PATH = '/log/{pollId}/{generation}'
const FOREVER = 'public, max-age=31536000, immutable'
const PRIVATE = 'private, no-store'
/** Each download runs at its client's full speed. */
const MOST_DOWNLOADS = 32
const ENTRIES_AT_ONCE = 1_024

interface TileName {
  /** -1 for entries. */
  readonly level: number
  readonly number: number
  readonly width: number
}

const HIGHEST_LEVEL = 6

/** `0/x001/067` is number 1067 of level 0, and `0/x001/067.p/8` its first 8 hashes. */
function tileName(path: string): TileName | null {
  const match = /^(entries|\d)\/((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path)
  if (!match) return null
  const [, name = '', high = '', low = '', partial] = match
  // No other spelling of a number is the address of a tile.
  if (high.startsWith('x000/')) return null
  const level = name === 'entries' ? -1 : Number(name)
  const width = partial === undefined ? TILE_WIDTH : Number(partial)
  const isPartial = width < TILE_WIDTH
  if (level > HIGHEST_LEVEL || isPartial !== (partial !== undefined)) return null
  return { level, number: Number(high.replaceAll(/[x/]/g, '') + low), width }
}

/** Below the address of a log, as C2SP tlog-tiles says, and all of it as one document. */
export function tileRoutes(deps: Deps): Route[] {
  const { engine, keys } = deps
  const { db } = engine
  const signer = new NoteSigner(keys.logSigning)
  const urls = new LogUrls(deps)
  const { policy: name, quota: perOwner } = limits.exports
  const downloads = new ConcurrencyLimit({ name, total: MOST_DOWNLOADS, perOwner })

  async function open({ pollId, generation: segment }: z.output<typeof logParams>, now: number) {
    const { generation, isOwners } = urls.read(pollId, segment, now)
    if (!isUuid(pollId) || !isGeneration(generation)) throw notFound()
    const log = orNotFound(await findLogAt(db, { pollId, generation, now: isOwners ? null : now }))
    return { log, isOwners }
  }

  const checkpointOf = ({ origin, size, peaks }: LogRow): string =>
    signer.checkpoint({ origin, size, root: rootOf(hashesIn(peaks)) })

  async function bytesOf(log: LogRow, { level, number, width }: TileName): Promise<Uint8Array> {
    const { key: logKey, poll_key: pollKey, size } = log
    const trees = Math.floor(size / TILE_WIDTH ** Math.max(level, 0))
    const from = number * TILE_WIDTH
    if (from + width > trees) throw notFound()
    if (level > 0) {
      const stored = await tileAt(db, { logKey, level, number })
      if (stored.length >= width * HASH_BYTES) return stored.subarray(0, width * HASH_BYTES)
      throw new Error(`the log of poll ${log.id} has lost tile ${number} of level ${level}`)
    }
    const key = openLogKey(keys, log.sealed)
    const span = { pollKey, from, to: from + width }
    if (level === 0) return Buffer.concat(await leavesAt(engine, key, span))
    return entryTile(key, await loggedVotesAt(engine, span))
  }

  async function* textsOf(log: LogRow, key: Bytes): AsyncGenerator<string, undefined> {
    const { id, slug, short_id: shortId, title, label_a: optionA, label_b: optionB, origin, size } = log
    const head = {
      format: BUNDLE_FORMAT,
      poll: { id, slug, shortId, title, optionA, optionB },
      origin,
      publicKey: signer.verifierKey(origin),
      checkpoint: checkpointOf(log),
      restarts: presentRestarts(await earlierLogs(db, log.poll_key)),
    }
    yield `${JSON.stringify(head).slice(0, -1)},"entries":[`
    for (let from = 0; from < size; from += ENTRIES_AT_ONCE) {
      const to = Math.min(from + ENTRIES_AT_ONCE, size)
      const votes = await votesOf(log, { from, to })
      yield (from > 0 ? ',' : '') + votes.map((vote) => JSON.stringify(entryOf(key, vote))).join(',')
    }
    yield ']}'
  }

  /** The poll may be deleted during a download, which then breaks off. */
  async function votesOf({ poll_key: pollKey }: LogRow, span: { from: number; to: number }) {
    const poll = db.selectFrom('polls').select('key').where('key', '=', pollKey).where('deleted_at', 'is', null)
    if (!(await poll.executeTakeFirst())) throw new AppError('NOT_FOUND')
    return loggedVotesAt(engine, { pollKey, ...span })
  }

  const common = { ...outside, errors: ['NOT_FOUND'] } as const

  return [
    route({
      ...common,
      path: `${PATH}/checkpoint`,
      name: 'getLogCheckpoint',
      params: logParams,
      answers: {
        200: { description: 'The signed checkpoint.', contentType: 'text/plain', headers: { always: ['ETag'] } },
      },
      async handle({ params, now }) {
        const { log, isOwners } = await open(params, now)
        const body = checkpointOf(log)
        const headers = {
          'Content-Type': 'text/plain; charset=utf-8',
          'Cache-Control': isOwners ? PRIVATE : publicCacheControl(now, null),
          ETag: etagOf(body),
        }
        return { status: 200, body, headers }
      },
    }),
    route({
      ...common,
      path: `${PATH}/tile/{tilePath}`,
      name: 'getLogTile',
      params: logParams.extend({ tilePath: z.string() }),
      answers: {
        200: {
          description: 'The hashes or entries of a tile.',
          contentType: 'application/octet-stream',
          headers: { always: ['ETag'] },
        },
      },
      async handle({ params: { tilePath, ...place }, now }) {
        const name = orNotFound(tileName(tilePath))
        const { log, isOwners } = await open(place, now)
        const bytes = await bytesOf(log, name)
        const headers = {
          'Content-Type': 'application/octet-stream',
          'Cache-Control': isOwners ? PRIVATE : FOREVER,
          ETag: etagOf(bytes),
        }
        return { status: 200, body: new Blob([bytes as Uint8Array<ArrayBuffer>]), headers }
      },
    }),
    route({
      ...common,
      path: `${PATH}/bundle`,
      name: 'getLogBundle',
      params: logParams,
      answers: {
        200: {
          description: 'The log as one document.',
          schema: bundle,
          contentType: 'application/json',
          headers: { always: ['Content-Disposition'] },
        },
      },
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
      async handle({ params, incoming, now }) {
        const { log } = await open(params, now)
        const network = isLoopback(incoming.network) ? null : networkName(deps, incoming.network)
        const onEnd = downloads.acquire(network)
        try {
          const texts = textsOf(log, openLogKey(keys, log.sealed))
          const body = streamOf(texts, { log: deps.log, requestId: incoming.requestId, onEnd })
          const headers = {
            'Content-Type': 'application/json',
            'Content-Disposition': attachment({
              plain: `tossup-log-${log.slug}`,
              kind: 'log',
              title: log.title,
              suffix: 'json',
            }),
            'Cache-Control': PRIVATE,
          }
          return { status: 200, isText: true, body, headers }
        } catch (error) {
          onEnd()
          throw error
        }
      },
    }),
  ]
}
