import { Database } from 'bun:sqlite'
import pg from 'pg'

type Query = (this: unknown, first: unknown, ...more: unknown[]) => unknown

/** Records every statement that this process sends to a database, but its heartbeats. Start it before the service. */
export class StatementWatch {
  seen: { readonly text: string; readonly at: number }[] = []
  readonly #undo: (() => void)[]

  constructor() {
    this.#undo = [this.#watch(Database.prototype), this.#watch(pg.Client.prototype)]
  }

  /** How often each statement was sent. */
  counts(): Map<string, number> {
    const grouped = Map.groupBy(this.seen, ({ text }) => text)
    return new Map([...grouped].map(([text, sent]) => [text, sent.length]))
  }

  stop(): void {
    for (const undo of this.#undo.splice(0)) undo()
  }

  #watch(prototype: object): () => void {
    const watched = prototype as { query: Query }
    const { query } = watched
    const note = (first: unknown) => {
      if (!isHeartbeat(first)) this.seen.push({ text: textOf(first), at: performance.now() })
    }
    watched.query = function (first, ...more) {
      note(first)
      return query.call(this, first, ...more)
    }
    return () => {
      watched.query = query
    }
  }
}

const textOf = (given: unknown): string =>
  typeof given === 'string' ? given : String((given as { text?: unknown } | null)?.text)

/** Servers send them by the clock and not because of a request (`db/postgres/notices.ts`). */
function isHeartbeat(given: unknown): boolean {
  const { name, values } = (given ?? {}) as { name?: unknown; values?: unknown[] }
  return name === 'tossup-notify' && String(values?.[1]).split(' ')[1] === 'beat'
}
