// files/cards: draws share cards and pictures of results, in a process of its own.

import { unavailable } from '../../base/errors.ts'
import type { IsolatedWork, Isolation } from '../../base/isolation/isolated-work.ts'
import { JobKilled } from '../../base/isolation/job.ts'
import { Semaphore } from '../../base/work/semaphore.ts'
import type { FACE_OF } from './faces.ts'

/** A text for a card, and the room that it has. */
export interface TextRequest {
  readonly text: string
  readonly fontStack: keyof typeof FACE_OF
  readonly width: number
  /** From the largest to the smallest: the first in which the text is whole is used, or else the last. */
  readonly fits: readonly { readonly size: number; readonly lines: number }[]
}

/** The outline of a glyph, in units of its font, y upwards; and where it is, in pixels from the start of its line. */
export interface Glyph {
  readonly outline: string
  readonly x: number
  readonly y: number
  /** Pixels for a unit of the font. */
  readonly scale: number
}

export interface ShapedLine {
  readonly width: number
  readonly glyphs: readonly Glyph[]
}

export interface ShapedText {
  readonly direction: 'ltr' | 'rtl'
  readonly size: number
  readonly lines: readonly ShapedLine[]
}

/** A card takes some tenths of a second. */
const CPU_MS = 5_000
const MEMORY_BYTES = 512 * 1024 ** 2
/** Less than a request may take. */
const WITHIN_MS = 8_000
/** The same card would take as long again. */
const RETRY_SECONDS = 60

/** A job of the process: measure texts, or draw a picture. */
export type CardJob = { readonly texts: readonly TextRequest[] } | { readonly svg: string; readonly type: PictureType }

/** Messengers want small files, and slides want sharp letters. */
export type PictureType = 'jpeg' | 'png'

/** Draws one picture at a time, in a process that can be killed. */
export class CardDrawer {
  readonly #semaphore = new Semaphore(1)
  readonly #work: IsolatedWork<CardJob, unknown>
  readonly #withinMs: number

  constructor(isolation: Isolation, { cpuMs = CPU_MS, withinMs = WITHIN_MS } = {}) {
    const entry = new URL('./card-process.ts', import.meta.url)
    this.#work = isolation.open({ name: 'share cards', entry, cpuMs, memoryBytes: MEMORY_BYTES })
    this.#withinMs = withinMs
  }

  /** `makeSvg` is called only when its turn has come, so that only one card's parts are in memory. */
  draw(makeSvg: () => Promise<string>, type: PictureType = 'jpeg'): Promise<Uint8Array> {
    return this.#semaphore.run(async () => {
      const svg = await makeSvg()
      return Buffer.from((await this.#do({ svg, type })) as string, 'base64')
    })
  }

  /** Texts as outlines, in lines that fit their room; null for a text in letters that no face has. */
  async shape(texts: readonly TextRequest[]): Promise<(ShapedText | null)[]> {
    return (await this.#do({ texts })) as (ShapedText | null)[]
  }

  async #do(job: CardJob): Promise<unknown> {
    try {
      return await this.#work.run(job, { withinMs: this.#withinMs })
    } catch (error) {
      if (!(error instanceof JobKilled)) throw error
      throw unavailable(RETRY_SECONDS, { reason: 'a share card cannot be drawn within its limits', cause: error })
    }
  }
}
