import type { Clock } from '../base/clock.ts'
import { invalidInput } from '../base/errors.ts'
import type { Responder } from '../base/responder.ts'
import type { Answer } from './answer.ts'
import { jsonTextOf, MOST_BODY_BYTES } from './body.ts'
import { type Checks, createChecks, type Params, type Values } from './checks.ts'
import type { Incoming } from './incoming.ts'
import type { Limiter } from './limiter.ts'
import { countMalformed, settleLimits } from './limits-of-failures.ts'
import { unpaged } from './paging.ts'
import { limit } from './rate-limit.ts'
import { bodyOf, privateReply, type Reply } from './reply.ts'
import type { AnyPlainSpec, Call, FastWrite, Route } from './route.ts'
import { UsualBodies } from './usual-bodies.ts'
import { isAccepted } from './validate.ts'

interface FastDoorDeps {
  readonly limiter: Limiter
  readonly clock: Clock
}

type AnyCall = Call<never, never, never, unknown>

/** The fast path of a route: the same answers as the door gives, for its usual requests. */
export interface FastDoor {
  /** Null for an unusual request: nothing is counted or read by then, and the door answers it. */
  admit(incoming: Incoming, rawParams: Params): FastRequest | null
}

/** Null for a route that declares no fast path. */
export function fastDoorOf(deps: FastDoorDeps, route: Route): FastDoor | null {
  if (route.kind !== 'plain' || !route.spec.fast) return null
  return createFastDoor(deps, route.spec, createChecks(route.spec))
}

/**
 * The steps of the door for the usual request of a write, in the same order and by the same functions, but it waits only
 * where there is something to wait for. Usual is a JSON body of known length, and neither query, token nor content coding.
 */
export function createFastDoor(deps: FastDoorDeps, spec: AnyPlainSpec, checks: Checks): FastDoor {
  const { fast, limits, mostBodyBytes = MOST_BODY_BYTES } = spec
  if (!fast || !limits || !spec.refusedLimits || spec.isPaged || spec.exportAll || spec.query || !spec.body) {
    throw new Error(`${spec.name} has other steps than a fast path`)
  }
  if (spec.caching !== 'private') throw new Error(`a fast path answers only the caller, and ${spec.name} everybody`)
  const bodies = new UsualBodies(fast.bodies, checks)
  const path: FastPath = { ...deps, spec, fast: fast as unknown as FastWrite<AnyCall>, checks, bodies }
  return {
    admit(incoming, rawParams) {
      if (!isUsual(incoming, mostBodyBytes)) return null
      const params = checks.params(rawParams)
      if (!isAccepted(params)) return null
      const identity = spec.guard.admit(incoming)
      if (identity instanceof Promise) throw new Error(`the guard of ${spec.name} waits for more than a token`)
      incoming.isAdmitted = true
      return new FastRequest(path, { incoming, identity, params: params.value ?? NO_PARAMS, rawParams })
    },
  }
}

function isUsual({ request: { headers }, search }: Incoming, mostBodyBytes: number): boolean {
  return (
    headers.get('content-type') === 'application/json' &&
    Number(headers.get('content-length') ?? Number.NaN) <= mostBodyBytes &&
    headers.get('content-encoding') === null &&
    headers.get('authorization') === null &&
    search === ''
  )
}

const NO_PARAMS = {}
const NO_QUERY = {}

interface FastPath extends FastDoorDeps {
  readonly spec: AnyPlainSpec
  readonly fast: FastWrite<AnyCall>
  readonly checks: Checks
  readonly bodies: UsualBodies
}

interface Admission {
  readonly incoming: Incoming
  readonly identity: unknown
  readonly params: Values
  readonly rawParams: Params
}

/**
 * A request behind the guard, which is also the call of its handler. Each step calls the next: a promise for each would cost
 * more than the step.
 */
class FastRequest implements Responder<Answer | Reply>, Call<unknown, unknown, unknown, unknown> {
  readonly incoming: Incoming
  readonly identity: unknown
  readonly params: Values
  readonly query = NO_QUERY
  body: unknown
  readonly paging = unpaged
  readonly ifMatch = null
  now = 0
  readonly #path: FastPath
  readonly #rawParams: Params
  #settle!: Responder<Reply>

  constructor(path: FastPath, { incoming, identity, params, rawParams }: Admission) {
    this.#path = path
    this.incoming = incoming
    this.identity = identity
    this.params = params
    this.#rawParams = rawParams
  }

  /** Reads the body and goes on from there. */
  read(settle: Responder<Reply>): void {
    const { incoming } = this
    this.#settle = settle
    incoming.beginReceiving()
    incoming.request.bytes().then(
      (bytes) => {
        incoming.endReceiving()
        this.#check(bytes)
      },
      (error) => this.#refuse(error),
    )
  }

  #check(bytes: Uint8Array): void {
    const { limiter, spec, bodies } = this.#path
    try {
      this.body = bodies.find(bytes) ?? this.#read(bytes)
    } catch (error) {
      this.#refuseAfter(countMalformed(limiter, spec, { admitted: this, error }), error)
      return
    }
    this.#count()
  }

  #read(bytes: Uint8Array): unknown {
    const body = this.#path.checks.body(jsonTextOf(bytes))
    if (!isAccepted(body)) throw invalidInput([...body.problems])
    return body.value
  }

  #count(): void {
    const { limiter, spec } = this.#path
    let limiting: Promise<void> | void
    try {
      limiting = limit(limiter, spec.limits, this)
    } catch (error) {
      this.#refuse(error)
      return
    }
    if (limiting instanceof Promise) {
      limiting.then(
        () => this.#handle(),
        (error) => this.#refuse(error),
      )
    } else this.#handle()
  }

  #handle(): void {
    const { fast, clock } = this.#path
    try {
      this.now = clock.now()
      fast.handle(this as unknown as AnyCall, this)
    } catch (error) {
      this.fail(error)
    }
  }

  answer(answered: Answer | Reply): void {
    this.#settle.answer('headers' in answered ? answered : privateReply(answered, bodyOf(answered), true))
  }

  /** The handler has failed: what it did not use is given back first. */
  fail(error: unknown): void {
    const { limiter, spec } = this.#path
    this.#refuseAfter(settleLimits(limiter, spec, { incoming: this.incoming, error }), error)
  }

  /** `settling` may fail with another refusal. */
  #refuseAfter(settling: Promise<void>, error: unknown): void {
    settling.then(
      () => this.#refuse(error),
      (other) => this.#refuse(other),
    )
  }

  #refuse(error: unknown): void {
    let told = error
    try {
      this.#path.spec.onFailure?.(error, this.#rawParams)
    } catch (fault) {
      told = fault
    }
    this.#settle.fail(told)
  }
}
