import { isSignedWith, type Received, Receiver } from '../receiver.ts'

/** The faults of such a server, with the percentage of deliveries that meet each. */
const MOODS = { broken: 6, busy: 4, redirect: 4, hang: 1 } as const
type Mood = keyof typeof MOODS | 'fine'

const HANGS_FOR_MS = 1_000

/** An unreliable brand server. Records which events it received, and how many had a wrong signature. */
export class UnreliableReceiver {
  readonly #receiver = new Receiver()
  readonly #ids = new Set<string>()
  readonly #titles = new Set<string>()
  readonly #secretOf: () => string
  badSignatures = 0
  attempts = 0

  constructor(secretOf: () => string) {
    this.#secretOf = secretOf
    this.#receiver.answer = (received) => {
      const mood = randomMood()
      this.#take(received, mood)
      // The facts needed are recorded; the list of requests would only grow.
      this.#receiver.received.length = 0
      return answerIn(mood)
    }
  }

  get url(): string {
    return this.#receiver.url
  }

  /** Events that it has accepted, each counted once. */
  get count(): number {
    return this.#ids.size
  }

  /** Titles for which no change of a poll has arrived. */
  missing(titles: ReadonlySet<string>): string[] {
    return [...titles].filter((title) => !this.#titles.has(title))
  }

  stop(): Promise<void> {
    return this.#receiver.stop()
  }

  #take(received: Received, mood: Mood): void {
    this.attempts++
    if (!isSignedWith(received, this.#secretOf())) this.badSignatures++
    if (mood !== 'fine') return
    this.#ids.add(received.id)
    this.#titles.add((received.payload.data['poll'] as { title: string }).title)
  }
}

function randomMood(): Mood {
  let left = Math.random() * 100
  for (const [mood, share] of Object.entries(MOODS)) {
    left -= share
    if (left < 0) return mood as Mood
  }
  return 'fine'
}

async function answerIn(mood: Mood): Promise<Response> {
  switch (mood) {
    case 'fine':
      return new Response('thanks')
    case 'broken':
      return new Response('no', { status: 500 })
    case 'busy':
      return new Response('later', { status: 429, headers: { 'Retry-After': '1' } })
    case 'redirect':
      return new Response(null, { status: 307, headers: { Location: '/elsewhere' } })
    case 'hang':
      await Bun.sleep(HANGS_FOR_MS)
      return new Response('too late')
  }
}
