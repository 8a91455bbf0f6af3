import { setTimeout as pause } from 'node:timers/promises'
import { SECOND } from '../../base/clock.ts'
import type { IsolatedWork, Isolation, Pace } from '../../base/isolation/isolated-work.ts'
import { JobFailed, JobKilled } from '../../base/isolation/job.ts'
import type { ContentType } from '../file-keys.ts'
import { StoreAway } from '../file-store.ts'
import type { Part } from './compose.ts'
import { type Box, PictureRefused } from './container.ts'
import type { Photo } from './photo.ts'
import type { PictureJob } from './picture-process.ts'
import type { Written } from './rewrite-picture.ts'

/** Pause after a picture under pressure, as a part of the time it took. */
const REST = 0.5
const LOOK_EVERY_MS = 20

/** A picture takes a core for as long as it has work: where something presses that cannot wait, the next one begins later. */
export class PressurePace implements Pace {
  readonly #isPressed: () => boolean
  readonly #now: () => number
  #restUntil = 0

  constructor(isPressed: () => boolean, now: () => number = () => performance.now()) {
    this.#isPressed = isPressed
    this.#now = now
  }

  async ready(): Promise<void> {
    while (this.#now() < this.#restUntil && this.#isPressed()) await pause(LOOK_EVERY_MS)
  }

  ended(tookMs: number): void {
    this.#restUntil = this.#now() + REST * tookMs
  }
}

/** 25 million pixels take a few seconds on a slow machine, and 100 MB for each copy that a codec makes. */
const OF_PICTURES = { cpuMs: 10 * SECOND, memoryBytes: 768 * 1024 ** 2 }
/** Two megabytes of SVG take a quarter of a second. */
const OF_DRAWINGS = { cpuMs: 2 * SECOND, memoryBytes: 512 * 1024 ** 2 }
/** Uploads have no deadline, because their clients may be slow. Many at once wait at most this long, then get 503. */
const UPLOAD_WITHIN_MS = 120 * SECOND
const VARIANT_WITHIN_MS = 60 * SECOND
/** A photo is part of a share card, whose request is answered within 9.5 s. */
const PHOTO_WITHIN_MS = 6 * SECOND
/** More than the number of uploads that are accepted at once. */
const MOST_WAITING = 512

interface FromTo {
  readonly from: string
  readonly to: string
}

interface Rewriting extends FromTo {
  readonly type: ContentType
  /** Aborted when the client has left: no job is started then. */
  readonly signal?: AbortSignal
}

/** One picture at a time, in processes that can be killed: 25 million pixels are 100 MB, and codecs take many threads. */
export class Decoding {
  readonly pace: PressurePace
  readonly #pictures: IsolatedWork<PictureJob, unknown>
  readonly #drawings: IsolatedWork<PictureJob, unknown>

  constructor(isolation: Isolation, { isPressed = () => false }: { isPressed?: () => boolean } = {}) {
    const entry = new URL('./picture-process.ts', import.meta.url)
    this.pace = new PressurePace(isPressed)
    const pictures = { name: 'pictures', entry, ...OF_PICTURES, mostWaiting: MOST_WAITING, pace: this.pace }
    this.#pictures = isolation.open(pictures)
    this.#drawings = isolation.open({ name: 'drawings', entry, ...OF_DRAWINGS, mostWaiting: MOST_WAITING })
  }

  /** Writes what may be kept of the bytes of an upload; throws `PictureRefused` where that is nothing. */
  async rewrite({ signal, ...files }: Rewriting): Promise<Written> {
    const work = files.type === 'image/svg+xml' ? this.#drawings : this.#pictures
    try {
      return (await work.run({ kind: 'rewrite', ...files }, { withinMs: UPLOAD_WITHIN_MS, signal })) as Written
    } catch (error) {
      throw error instanceof JobKilled ? new PictureRefused('too_costly') : asThrown(error)
    }
  }

  makeVariant = (job: FromTo & { width: number }) => this.#make<number>({ kind: 'variant', ...job })

  compose = (job: { left: Part; right: Part; to: string }) => this.#make<Written>({ kind: 'compose', ...job })

  /** A picture as a data URL. */
  photo = (path: string, box: Box) => this.#make<Photo>({ kind: 'photo', path, box }, PHOTO_WITHIN_MS)

  async #make<Made>(job: PictureJob, withinMs = VARIANT_WITHIN_MS): Promise<Made> {
    try {
      return (await this.#pictures.run(job, { withinMs })) as Made
    } catch (error) {
      throw asThrown(error)
    }
  }
}

/** An error of the process as the one that was thrown there. */
function asThrown(error: unknown): unknown {
  if (!(error instanceof JobFailed)) return error
  const { name, code, message } = error.thrown
  if (name === 'PictureRefused') return PictureRefused.from(code, message)
  return name === 'StoreAway' ? new StoreAway(error) : error
}
