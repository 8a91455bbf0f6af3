import type { Responder } from '../base/responder.ts'
import type { Incoming } from './incoming.ts'
import type { Reply } from './reply.ts'

/** The last steps of a request, which are the same however it was answered. */
export interface Exit<Entrance> {
  leave(visit: Visit<Entrance>, reply: Reply): Response | Promise<Response>
  refuse(visit: Visit<Entrance>, error: unknown): Response | Promise<Response>
  /** For an answer that comes too late to be sent. */
  discard(reply: Reply): void
}

/** A request from its arrival to its answer. One object, because each more would cost every vote. */
export class Visit<Entrance> implements Responder<Reply> {
  readonly incoming: Incoming
  /** Undefined if no route has this path and method. */
  readonly entrance: Entrance | undefined
  readonly isHead: boolean
  readonly #exit: Exit<Entrance>
  #resolve!: (response: Response | Promise<Response>) => void
  #reject!: (error: unknown) => void

  constructor(exit: Exit<Entrance>, incoming: Incoming, entrance: Entrance | undefined) {
    this.#exit = exit
    this.incoming = incoming
    this.entrance = entrance
    this.isHead = incoming.request.method === 'HEAD'
  }

  /** What the client receives once the visit is settled. */
  response(): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  answer(reply: Reply): void {
    try {
      this.#resolve(this.#exit.leave(this, reply))
    } catch (error) {
      this.#reject(error)
    }
  }

  fail(error: unknown): void {
    try {
      this.#resolve(this.#exit.refuse(this, error))
    } catch (fault) {
      this.#reject(fault)
    }
  }

  discard(reply: Reply): void {
    this.#exit.discard(reply)
  }
}
