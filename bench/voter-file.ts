export interface VoterFile {
  readonly rows: number
  readonly bytes: number
  readonly optionA: number
  readonly optionB: number
}

/** Checks the file while it streams, without storing it: positions must descend to 1 without a gap. */
export async function downloadVoters(url: string, headers: Record<string, string>): Promise<VoterFile> {
  const answer = await fetch(url, { headers })
  if (answer.status !== 200 || !answer.body) throw new Error(`${url} answered ${answer.status}`)
  const lines = new VoterLines()
  for await (const chunk of answer.body) lines.take(chunk)
  return lines.end()
}

export class VoterLines {
  readonly #decoder = new TextDecoder()
  readonly #counts = { A: 0, B: 0 }
  #bytes = 0
  #rest = ''
  #last: number | null = null
  #hasHead = false

  take(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\r\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (this.#hasHead) this.#count(line)
      this.#hasHead = true
    }
  }

  end(): VoterFile {
    if (this.#rest !== '') throw new Error(`the file ends with ${this.#rest}`)
    if (this.#last !== null && this.#last !== 1) throw new Error(`the file ends at position ${this.#last}`)
    const { A, B } = this.#counts
    return { rows: A + B, bytes: this.#bytes, optionA: A, optionB: B }
  }

  #count(line: string): void {
    const [, option = '', , position = ''] = line.split(',')
    if (option !== 'A' && option !== 'B') throw new Error(`no option: ${line}`)
    if (this.#last !== null && Number(position) !== this.#last - 1) throw new Error(`${position} after ${this.#last}`)
    this.#last = Number(position)
    this.#counts[option]++
  }
}
