import { notFound } from '../../../base/errors.ts'
import type { Deps } from '../../../deps.ts'
import { anyone } from '../../../http/guard.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { isLoopback } from '../../../http/network.ts'
import type { Reply } from '../../../http/reply.ts'
import { type Route, route } from '../../../http/route.ts'
import { Seats } from '../../../http/seats.ts'
import { networkName } from '../../tokens/limits.ts'
import type { PollKeys } from '../poll-keys.ts'
import { pollParams } from '../schema.ts'
import type { TallyStreams } from './tally-streams.ts'

const DESCRIPTION = `Server-sent events without an end. Each \`tallies\` holds the data of \`GET /polls/{slug}/tallies\`: the present
state first, unless \`Last-Event-ID\` names it, then each change, at most two a second. A poll that is deleted ends it.`

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store, no-transform',
  // nginx would collect the events until a buffer is full.
  'X-Accel-Buffering': 'no',
  // Nothing limits how long it may be idle, so it is of no use for another request.
  Connection: 'close',
}

export interface LivePolls {
  readonly pollKeys: PollKeys
  readonly streams: TallyStreams
}

export function streamRoutes(deps: Deps, { pollKeys, streams }: LivePolls): Route[] {
  const { streams: most, networkStreams: mostOfEach } = deps.config
  // Each holds a connection and a file: so many for one network.
  const seats = new Seats({ name: 'streams', most, mostOfEach })

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
      summary: 'The counts of a poll as they change',
      guard: anyone,
      caching: 'none',
      params: pollParams,
      headers: {
        'Last-Event-ID': 'The id of the last event that came: whoever has the present state is not sent it again.',
      },
      answers: { 200: { description: DESCRIPTION, contentType: 'text/event-stream' } },
      errors: ['NOT_FOUND', 'RATE_LIMITED'],
      async handle({ incoming, params }): Promise<Reply> {
        // Who comes from this very machine is a proxy that was not named, or a tool: all the world could be behind it.
        const network = isLoopback(incoming.network) ? null : networkName(deps, incoming.network)
        const leave = seats.take(network)
        try {
          return { status: 200, body: await openStream(params.slug, { incoming, onEnd: leave }), headers: HEADERS }
        } catch (error) {
          leave()
          throw error
        }
      },
    }),
  ]
}
