/** Names for the statements that connections keep prepared, one for each text. */
export class StatementNames {
  readonly #names = new Map<string, string>()
  #given = 0

  of(text: string): string {
    const known = this.#names.get(text)
    if (known) return known
    const name = `tossup-${++this.#given}`
    this.#names.set(text, name)
    return name
  }

  /** Its next execution prepares it again, on every connection. */
  forget(text: string, name: string): void {
    if (this.#names.get(text) === name) this.#names.delete(text)
  }
}
