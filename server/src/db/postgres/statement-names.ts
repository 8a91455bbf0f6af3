import { randomUUID } from 'node:crypto'

interface NamedStatement {
  readonly name: string
  readonly text: string
}

/** Names for the statements that connections keep prepared, one for each text. */
export class StatementNames {
  readonly #named = new Map<string, NamedStatement>()
  readonly #outdated = new Set<string>()
  #given = 0

  of(text: string): NamedStatement {
    const known = this.#named.get(text)
    if (known) return known
    // PgBouncer identifies statements by text, not by name: only a different text is prepared again.
    const mark = this.#outdated.has(text) ? ` /* ${randomUUID()} */` : ''
    const statement = { name: `tossup-${++this.#given}`, text: text + mark }
    this.#named.set(text, statement)
    return statement
  }

  /** Makes the next execution prepare the statement again, on every connection. */
  forget(text: string, { name }: NamedStatement): void {
    if (this.#named.get(text)?.name !== name) return
    this.#named.delete(text)
    this.#outdated.add(text)
  }
}
