// base/isolation: runs work on what others wrote in child processes that can be killed. See docs/decisions/025.

import type { Log } from '../log.ts'
import { IsolatedWork, type WorkSpec } from './isolated-work.ts'

/** All processes of a server, so that they end with it. */
export class Isolation {
  readonly #log: Pick<Log, 'warn'>
  readonly #works: IsolatedWork<unknown, unknown>[] = []

  constructor(log: Pick<Log, 'warn'>) {
    this.#log = log
  }

  open<Job, Result>(spec: WorkSpec): IsolatedWork<Job, Result> {
    const work = new IsolatedWork<Job, Result>(spec, this.#log)
    this.#works.push(work as IsolatedWork<unknown, unknown>)
    return work
  }

  /** Ends every process, also one that is at work. */
  close(): void {
    for (const work of this.#works) work.close()
  }
}
