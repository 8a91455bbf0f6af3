import { z } from 'zod'
import { notFound } from '../../../base/errors.ts'
import { textLike } from '../../../base/fields.ts'
import { pollParams } from '../../../events/resources/poll.ts'
import type { Reply } from '../../../http/answers/reply.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { ConcurrencyLimit } from '../../../http/limits/concurrency-limit.ts'
import { limits, mostOf } from '../../../http/limits/limits.ts'
import { isLoopback } from '../../../http/network.ts'
import { anyone, type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { networkName } from '../../people/tokens/guards.ts'
import type { PollKeys } from '../snapshots/poll-keys.ts'
import type { Opening, Watched } from './tally-listener.ts'
import type { TallyStreams } from './tally-streams.ts'

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // nginx would buffer the events.
  'X-Accel-Buffering': 'no',
  // The idle limit is off for this connection, so it must not serve further requests.
  Connection: 'close',
}

const LAST_EVENT_ID = {
  'Last-Event-ID':
    'The id of the last event that the client received. If it names the current state, that state is not sent again.',
}

const STREAM = { 200: { description: 'An endless stream of events.', contentType: 'text/event-stream' } } as const

const polls = textLike(
  /^[A-Za-z0-9_-]{1,128}(,[A-Za-z0-9_-]{1,128}){0,49}$/,
  'The slugs, shortIds or ids of 1 to 50 polls, separated by commas.',
  'tea-or-coffee',
)

interface Asked {
  readonly incoming: Incoming
  readonly onEnd: () => void
}

export interface LivePolls {
  readonly pollKeys: PollKeys
  readonly streams: TallyStreams
}

export function streamRoutes(deps: Deps, { pollKeys, streams }: LivePolls): Route[] {
  // Each stream holds a connection and a file descriptor, so one network may open only some of them.
  const perOwner = mostOf(limits.streams, deps.config)
  const limit = new ConcurrencyLimit({ name: limits.streams.policy, total: deps.config.streams, perOwner })

  /** One poll after another, so that a long list of unknown names takes no more of the database than one. */
  async function openingOf(references: readonly string[], { incoming, onEnd }: Asked): Promise<Opening> {
    const watched: Watched[] = []
    const missing: string[] = []
    for (const reference of references) {
      const pollKey = await pollKeys.find(reference)
      const channel = pollKey === null ? null : await streams.channel(pollKey)
      if (!channel) missing.push(reference)
      else if (!watched.some((each) => each.channel === channel)) watched.push({ channel, reference })
    }
    if (watched.length === 0) throw notFound()
    const lastEventId = header(incoming, 'last-event-id') ?? ''
    return { watched, missing, lastEventId, onEnd }
  }

  /** Counts the stream for its network until it ends. */
  async function limited(incoming: Incoming, open: (asked: Asked) => Promise<Opening>): Promise<Reply> {
    // A client on this machine may be a proxy missing from TRUSTED_PROXIES, with any number of visitors behind it.
    const network = isLoopback(incoming.network) ? null : networkName(deps, incoming.network)
    const release = limit.acquire(network)
    try {
      const body = streams.open(await open({ incoming, onEnd: release }))
      return { status: 200, body, headers: HEADERS }
    } catch (error) {
      release()
      throw error
    }
  }

  return [
    route({
      method: 'GET',
      path: '/polls/{slug}/tallies/stream',
      name: 'streamTallies',
      tag: 'Polls',
      summary: 'The counts of a poll as they change',
      description:
        'Server-sent events for `EventSource`. Each `tallies` event has the data of `GET /polls/{slug}/tallies`: first the current state, unless `Last-Event-ID` names it, then each change, at most two per second. The stream ends when the poll is deleted; clients reconnect on their own. A network that exceeds its limit of open streams gets 429.',
      guard: anyone,
      caching: 'none',
      params: pollParams,
      headers: LAST_EVENT_ID,
      answers: STREAM,
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
      handle: ({ incoming, params }) =>
        limited(incoming, async (asked) => ({ ...(await openingOf([params.slug], asked)), missing: null })),
    }),
    route({
      method: 'GET',
      path: '/tallies/stream',
      name: 'streamManyTallies',
      tag: 'Polls',
      summary: 'The counts of several polls over one connection',
      description:
        "Server-sent events for up to 50 polls. Each `tallies` event has the data of `GET /polls/{slug}/tallies` and names its poll by `slug`: first the present state of each poll, unless `Last-Event-ID` names it, then each change, at most two per second for each poll. A poll that cannot be seen has a `gone` event instead, `{poll}` with its name as in the request: at the start if there is none, and later when it is deleted. The stream ends when its last poll is gone; if none of them can be seen, the answer is 404. A poll that is named twice is sent once, under its first name. Counts as one stream for the limit of the caller's network.",
      guard: anyone,
      caching: 'none',
      query: z.object({ polls }),
      headers: LAST_EVENT_ID,
      answers: STREAM,
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
      handle: ({ incoming, query }) => limited(incoming, (asked) => openingOf(query.polls.split(','), asked)),
    }),
  ]
}
