import type { Checks } from './checks.ts'
import { isAccepted } from './validate.ts'

interface UsualBody {
  readonly bytes: Uint8Array
  readonly value: unknown
}

/** The values of the bodies that clients usually send: found by comparing bytes, read once by the same checks as all others. */
export class UsualBodies {
  readonly #bodies: readonly UsualBody[]

  constructor(texts: readonly string[], checks: Pick<Checks, 'body'>) {
    this.#bodies = texts.map((text) => {
      const { value, problems } = checks.body(text)
      if (!isAccepted({ value, problems }) || value === undefined) throw new Error(`${text} is no body of this route`)
      return { bytes: Buffer.from(text), value }
    })
  }

  /** Undefined for any other body. */
  find(bytes: Uint8Array): unknown {
    for (const body of this.#bodies) if (isSame(body.bytes, bytes)) return body.value
    return undefined
  }
}

/** For a few bytes a loop is faster than a call out of JavaScript. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  const { length } = left
  if (length !== right.length) return false
  for (let i = 0; i < length; i++) if (left[i] !== right[i]) return false
  return true
}
