import { Cache } from '../../base/cache.ts'
import { type Coding, type Compressed, compress, type Effort } from './content-coding.ts'

/** The compressed forms of one cached text, each made at the first request for it. */
export class PackedText {
  readonly #text: string
  readonly #effort: Effort
  readonly #forms: Partial<Record<Coding, Compressed | Promise<Compressed>>> = {}

  constructor(text: string, effort: Effort = 'fast') {
    this.#text = text
    this.#effort = effort
  }

  find(coding: Coding): Compressed | Promise<Compressed> {
    const known = this.#forms[coding]
    if (known !== undefined) return known
    const form = compress(this.#text, coding, this.#effort)
    this.#forms[coding] = form
    if (form instanceof Promise) this.#settle(coding, form)
    return form
  }

  /** A failure is not cached: the next request tries again. */
  #settle(coding: Coding, form: Promise<Compressed>): void {
    form.then(
      (bytes) => {
        this.#forms[coding] = bytes
      },
      () => {
        delete this.#forms[coding]
      },
    )
  }
}

/** Compressed forms, by ETag, of texts that are read from the database for each request. */
export class PackedTexts {
  readonly #kept: Cache<string, PackedText>

  constructor(capacity: number) {
    this.#kept = new Cache(capacity)
  }

  find(etag: string, text: string): PackedText {
    const known = this.#kept.get(etag)
    if (known) return known
    const packed = new PackedText(text, 'best')
    this.#kept.set(etag, packed)
    return packed
  }
}
