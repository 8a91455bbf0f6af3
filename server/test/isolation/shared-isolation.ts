import { type IsolatedWork, Isolation, type WorkSpec } from '../../src/base/isolation/isolated-work.ts'
import { isolationLog } from '../../src/cli/backup/load-backup.ts'

/** Opens each kind of work once: each import and restore opens its own otherwise, and starts up to three processes for them. */
export class SharedIsolation extends Isolation {
  readonly #opened = new Map<string, IsolatedWork<never, unknown>>()

  constructor() {
    super(isolationLog)
  }

  override open<Job, Result>(spec: WorkSpec): IsolatedWork<Job, Result> {
    const work = this.#opened.get(spec.name) ?? super.open(spec)
    this.#opened.set(spec.name, work as IsolatedWork<never, unknown>)
    return work as IsolatedWork<Job, Result>
  }
}
