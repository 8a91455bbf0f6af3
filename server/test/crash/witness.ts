/** The answer to a vote. */
export interface Told {
  readonly option: string
  readonly votedAt: string
}

export interface Attempt {
  readonly poll: string
  readonly device: string
  /** Where the poll has a code list. */
  readonly code?: string
}

const nameOf = ({ poll, device, code = '' }: Attempt): string => `${poll} ${code} ${device}`
/** One vote for each: of a code where the poll asks for one, otherwise of a device. */
const voterOf = ({ poll, device, code = device }: Attempt): string => `${poll} ${code}`

interface Repeat {
  readonly code: string
  readonly details: { readonly existingVote?: Told | null }
}

const isSame = (left: Told, right: Told): boolean => left.option === right.option && left.votedAt === right.votedAt

/** Records every vote that was sent and every answer, to compare them with the stored votes. */
export class Witness {
  readonly #attempts: Attempt[] = []
  readonly #accepted = new Map<string, Told>()
  /** Votes that a 409 reported: they are acknowledged just as by a 201. */
  readonly #named = new Map<string, Told>()
  /** Voters whose vote was acknowledged to any device. */
  readonly #voted = new Set<string>()
  readonly #accepting = new Set<string>()
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

  /** True for a code with which another device voted, too. */
  hasVoted(attempt: Attempt): boolean {
    return this.#voted.has(voterOf(attempt))
  }

  /** Called before the vote is sent: from then on it may be stored. */
  sends(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  hears(attempt: Attempt, status: number, body: string): void {
    if (status === 201) this.#hearsAccepted(attempt, JSON.parse(body).data as Told)
    else if (status === 409) this.#hearsRepeat(attempt, JSON.parse(body).error as Repeat)
    else if (status !== 503) this.contradictions.push(`${nameOf(attempt)}: answered ${status} ${body}`)
  }

  #hearsAccepted(attempt: Attempt, { option, votedAt }: Told): void {
    const [name, voter] = [nameOf(attempt), voterOf(attempt)]
    const told = { option, votedAt }
    const earlier = this.told(attempt)
    if (this.#accepting.has(voter)) this.doubled.push(`${name}: accepted twice`)
    if (earlier && !isSame(earlier, told)) this.contradictions.push(`${name}: two answers name two votes`)
    this.#accepted.set(name, told)
    this.#accepting.add(voter)
    this.#voted.add(voter)
  }

  #hearsRepeat(attempt: Attempt, { code, details: { existingVote } }: Repeat): void {
    const name = nameOf(attempt)
    const earlier = this.told(attempt)
    const isOfOther = attempt.code !== undefined && existingVote === null && !earlier
    if (code !== 'VOTE_ALREADY_CAST' || !(existingVote || isOfOther)) this.contradictions.push(`${name}: 409 ${code}`)
    else this.#voted.add(voterOf(attempt))
    if (!existingVote) return
    if (earlier && !isSame(earlier, existingVote)) this.contradictions.push(`${name}: another vote named`)
    else this.#named.set(name, existingVote)
  }
}
