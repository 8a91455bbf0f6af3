import type { Clock } from '../base/clock.ts'
import { invalidInput } from '../base/errors.ts'
import type { Answer } from './answer.ts'
import { jsonTextOf, MOST_BODY_BYTES } from './body.ts'
import type { Checks, Params } from './checks.ts'
import type { Incoming } from './incoming.ts'
import type { Limiter } from './limiter.ts'
import { unpaged } from './paging.ts'
import { type Admitted, limit } from './rate-limit.ts'
import { countMalformed, settleLimits } from './refused.ts'
import { bodyOf, privateReply, type Reply } from './reply.ts'
import type { AnyReadSpec, Call } from './route.ts'
import { isAccepted } from './validate.ts'

/** Null for an unusual request: nothing is counted or read by then, and the door answers it. */
export type FastDoor = (incoming: Incoming, rawParams: Params) => Promise<Reply> | null

interface FastDoorDeps {
  readonly limiter: Limiter
  readonly clock: Clock
}

type AnyCall = Call<never, never, never, unknown>

/**
 * The steps of the door for the usual request of a write, in the same order and by the same functions, but it waits only
 * where there is something to wait for. Usual is a JSON body of known length, and neither query, token nor content coding.
 */
export function createFastDoor(deps: FastDoorDeps, spec: AnyReadSpec, checks: Checks): FastDoor {
  const { limits, mostBodyBytes = MOST_BODY_BYTES } = spec
  if (!limits || !spec.refused || spec.isPaged || spec.exportAll || spec.query || !spec.body) {
    throw new Error(`${spec.name} has other steps than a fast path`)
  }
  if (spec.caching !== 'private') throw new Error(`a fast path answers only the caller, and ${spec.name} everybody`)

  async function readBody(admitted: Admitted<unknown>): Promise<unknown> {
    const { incoming } = admitted
    try {
      incoming.beginReceiving()
      const bytes = await incoming.request.arrayBuffer()
      incoming.endReceiving()
      const body = checks.body(jsonTextOf(bytes))
      if (!isAccepted(body)) throw invalidInput([...body.problems])
      return body.value
    } catch (error) {
      await countMalformed(deps.limiter, spec, { admitted, error })
      throw error
    }
  }

  async function answer(admitted: Admitted<unknown>): Promise<Reply> {
    const body = await readBody(admitted)
    const limiting = limit(deps.limiter, limits, admitted)
    if (limiting instanceof Promise) await limiting
    const { incoming } = admitted
    let answered: Answer | Reply
    try {
      const call = { ...USUAL, ...admitted, body, now: deps.clock.now() } as unknown as AnyCall
      answered = await spec.handle(call)
    } catch (error) {
      await settleLimits(deps.limiter, spec, { incoming, error })
      throw error
    }
    return 'headers' in answered ? answered : privateReply(answered, bodyOf(answered), true)
  }

  return (incoming, rawParams) => {
    if (!isUsual(incoming, mostBodyBytes)) return null
    const params = checks.params(rawParams)
    if (!isAccepted(params)) return null
    const identity = spec.guard.admit(incoming)
    if (identity instanceof Promise) throw new Error(`the guard of ${spec.name} waits for more than a token`)
    incoming.isAdmitted = true
    return answer({ identity, incoming, params: params.value })
  }
}

const USUAL = { query: {}, paging: unpaged, ifMatch: null }

function isUsual({ request: { headers }, search }: Incoming, mostBodyBytes: number): boolean {
  return (
    headers.get('content-type') === 'application/json' &&
    Number(headers.get('content-length') ?? Number.NaN) <= mostBodyBytes &&
    headers.get('content-encoding') === null &&
    headers.get('authorization') === null &&
    search === ''
  )
}
