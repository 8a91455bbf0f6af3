import { setTimeout as pause } from 'node:timers/promises'
import type { Pace } from '../../base/isolation/isolated-work.ts'

/** Of the time that a picture took, under pressure: all that waits must still be answered before somebody gives up. */
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
