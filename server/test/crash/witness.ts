/** The answer to a vote. */
export interface Told {
  readonly option: string
  readonly votedAt: string
}

export interface Attempt {
  readonly poll: string
  readonly device: string
}

const nameOf = ({ poll, device }: Attempt): string => `${poll} ${device}`

const isSame = (left: Told, right: Told): boolean => left.option === right.option && left.votedAt === right.votedAt

/** Records every vote that was sent and every answer, to compare them with the stored votes. */
export class Witness {
  readonly #attempts: Attempt[] = []
  readonly #accepted = new Map<string, Told>()
  /** Votes that a 409 reported: they are acknowledged just as by a 201. */
  readonly #named = new Map<string, Told>()
  readonly doubled: string[] = []
  readonly contradictions: string[] = []

  get attempts(): readonly Attempt[] {
    return this.#attempts
  }

  get accepted(): number {
    return this.#accepted.size
  }

  told(attempt: Attempt): Told | undefined {
    const name = nameOf(attempt)
    return this.#accepted.get(name) ?? this.#named.get(name)
  }

  isAccepted(attempt: Attempt): boolean {
    return this.#accepted.has(nameOf(attempt))
  }

  /** Called before the vote is sent: from then on it may be stored. */
  sends(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  hears(attempt: Attempt, status: number, body: string): void {
    const name = nameOf(attempt)
    const earlier = this.told(attempt)
    if (status === 201) {
      const told = JSON.parse(body).data as Told
      if (this.#accepted.has(name)) this.doubled.push(`${name}: accepted twice`)
      if (earlier && !isSame(earlier, told)) this.contradictions.push(`${name}: two answers name two votes`)
      this.#accepted.set(name, { option: told.option, votedAt: told.votedAt })
    } else if (status === 409) {
      const { code, details } = JSON.parse(body).error as { code: string; details: { existingVote?: Told } }
      if (code !== 'VOTE_ALREADY_CAST' || !details.existingVote) this.contradictions.push(`${name}: 409 ${code}`)
      else if (earlier && !isSame(earlier, details.existingVote))
        this.contradictions.push(`${name}: another vote named`)
      else this.#named.set(name, details.existingVote)
    } else if (status !== 503) {
      this.contradictions.push(`${name}: answered ${status} ${body}`)
    }
  }
}
