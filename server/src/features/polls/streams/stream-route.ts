import { notFound } from '../../../base/errors.ts'
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
import type { TallyStreams } from './tally-streams.ts'

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // nginx would buffer the events.
  'X-Accel-Buffering': 'no',
  // The idle limit is off for this connection, so it must not serve further requests.
  Connection: 'close',
}

export interface LivePolls {
  readonly pollKeys: PollKeys
  readonly streams: TallyStreams
}

export function streamRoutes(deps: Deps, { pollKeys, streams }: LivePolls): Route[] {
  // Each stream holds a connection and a file descriptor, so one network may open only some of them.
  const perOwner = mostOf(limits.streams, deps.config)
  const limit = new ConcurrencyLimit({ name: limits.streams.policy, total: deps.config.streams, perOwner })

  async function openStream(reference: string, { incoming, onEnd }: { incoming: Incoming; onEnd: () => void }) {
    const pollKey = await pollKeys.find(reference)
    const channel = pollKey === null ? null : await streams.channel(pollKey)
    if (!channel) throw notFound()
    return streams.open({ channel, lastEventId: header(incoming, 'last-event-id') ?? '', onEnd })
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
      headers: {
        'Last-Event-ID':
          'The id of the last event that the client received. If it names the current state, that state is not sent again.',
      },
      answers: { 200: { description: 'An endless stream of events.', contentType: 'text/event-stream' } },
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
      async handle({ incoming, params }): Promise<Reply> {
        // A client on this machine may be a proxy missing from TRUSTED_PROXIES, with any number of visitors behind it.
        const network = isLoopback(incoming.network) ? null : networkName(deps, incoming.network)
        const release = limit.acquire(network)
        try {
          return { status: 200, body: await openStream(params.slug, { incoming, onEnd: release }), headers: HEADERS }
        } catch (error) {
          release()
          throw error
        }
      },
    }),
  ]
}
