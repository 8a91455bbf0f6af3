const WIDTH = 30
const REDRAW_MS = 100

/** One line for a terminal; the time left is estimated from the pace so far. */
export function progressLine({ done, total, seconds }: { done: number; total: number; seconds: number }): string {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(part * WIDTH)
  const left = part === 0 || part === 1 ? '' : `, ${clockTime((seconds / part) * (1 - part))} left`
  return `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(part * 100)} %${left}`
}

function clockTime(seconds: number): string {
  const whole = Math.ceil(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** A bar on a terminal, otherwise a line at every tenth. On standard error, because standard output is the table alone. */
export class Progress {
  readonly #total: number
  readonly #startedAt = performance.now()
  #done = 0
  #tenth = -1
  #drawnAt = 0

  constructor(total: number) {
    this.#total = total
  }

  advance(by: number, what: string): void {
    this.#done += by
    const now = performance.now()
    const line = progressLine({ done: this.#done, total: this.#total, seconds: (now - this.#startedAt) / 1000 })
    if (process.stderr.isTTY) {
      if (now - this.#drawnAt < REDRAW_MS && by > 0 && this.#done < this.#total) return
      this.#drawnAt = now
      process.stderr.write(`\r\x1b[K${line} ${what}`)
      return
    }
    const tenth = Math.floor((this.#done / this.#total) * 10)
    if (tenth === this.#tenth) return
    this.#tenth = tenth
    process.stderr.write(`${line} ${what}\n`)
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }
}
