/** Enough to find the ten largest exactly unless hundreds of networks have nearly as many votes. */
const MOST_KEPT = 128
const TOP = 10

interface Kept {
  votes: number
  /** Votes that may belong to networks that were kept before in this place. */
  readonly uncertain: number
}

/**
 * Counts the votes of the busiest networks without keeping all networks (the space-saving algorithm): a new network takes the
 * place of the one with the fewest votes, and its count. Only what is certain is told, so that many small networks are never
 * taken for a large one.
 */
export class BusiestNetworks {
  readonly #kept = new Map<number, Kept>()

  add(network: number): void {
    const known = this.#kept.get(network)
    if (known) known.votes++
    else this.#kept.set(network, this.#newcomer())
  }

  /** The votes of the largest network. */
  get largest(): number {
    return this.#certain()[0] ?? 0
  }

  /** The votes of the ten largest together. */
  get topTen(): number {
    return this.#certain()
      .slice(0, TOP)
      .reduce((sum, votes) => sum + votes, 0)
  }

  #certain(): number[] {
    return [...this.#kept.values()].map(({ votes, uncertain }) => votes - uncertain).sort((a, b) => b - a)
  }

  #newcomer(): Kept {
    if (this.#kept.size < MOST_KEPT) return { votes: 1, uncertain: 0 }
    let fewest = Number.POSITIVE_INFINITY
    let leaving = 0
    for (const [network, { votes }] of this.#kept) {
      if (votes >= fewest) continue
      fewest = votes
      leaving = network
    }
    this.#kept.delete(leaving)
    return { votes: fewest + 1, uncertain: fewest }
  }
}
