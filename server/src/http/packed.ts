import { Cache } from '../base/cache.ts'
import { type Compressed, compress, type Effort } from './compress.ts'
import { CODINGS, type Coding } from './content-coding.ts'

/** The compressed forms of one text, kept beside it. */
export interface Packed {
  /** On offer now, best first of what a client likes equally. */
  readonly codings: readonly Coding[]
  find(coding: Coding): Compressed | Promise<Compressed>
}

/** Each form is made when it is first asked for. */
export class PackedText implements Packed {
  readonly codings = CODINGS
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

  /** A failure is not kept: the next request tries again. */
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

/** Compressed forms of texts that are read anew for each request, by their tag. */
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
