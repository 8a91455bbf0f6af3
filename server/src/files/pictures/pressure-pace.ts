import { setTimeout as pause } from 'node:timers/promises'
import type { Pace } from '../../base/isolation/isolated-work.ts'

/** Pause after a picture under pressure, as a part of the time it took: waiting uploads must be answered before clients give up. */
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
