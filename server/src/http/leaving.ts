import type { Settle } from '../base/settle.ts'
import type { Reply } from './reply.ts'

/** The last steps of a request, which are the same however it was answered. */
export interface Exit<Asked> {
  leave(asked: Asked, reply: Reply): Response | Promise<Response>
  refuse(asked: Asked, error: unknown): Response | Promise<Response>
  /** For an answer that comes too late to be sent. */
  discard(reply: Reply): void
}

/** Passes the end of a request to the exit: one object, where a closure for each way to end would be four. */
export class Leaving<Asked> implements Settle<Reply> {
  readonly #exit: Exit<Asked>
  readonly #asked: Asked
  readonly #resolve: (response: Response | Promise<Response>) => void
  readonly #reject: (error: unknown) => void

  constructor(
    exit: Exit<Asked>,
    asked: Asked,
    { resolve, reject }: Pick<PromiseWithResolvers<Response>, 'resolve' | 'reject'>,
  ) {
    this.#exit = exit
    this.#asked = asked
    this.#resolve = resolve
    this.#reject = reject
  }

  answer(reply: Reply): void {
    try {
      this.#resolve(this.#exit.leave(this.#asked, reply))
    } catch (error) {
      this.#reject(error)
    }
  }

  fail(error: unknown): void {
    try {
      this.#resolve(this.#exit.refuse(this.#asked, error))
    } catch (fault) {
      this.#reject(fault)
    }
  }

  discard(reply: Reply): void {
    this.#exit.discard(reply)
  }
}
