import { isSignedWith, type Received, Receiver } from '../receiver.ts'

/** What such a server does to a delivery, and to how many of a hundred. */
const MOODS = { broken: 6, busy: 4, redirect: 4, hang: 1 } as const
type Mood = keyof typeof MOODS | 'fine'

const HANGS_FOR_MS = 1_000

/** A brand's server on a bad day. Knows which events it has been given, and how often with a signature that is not right. */
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
      // What matters of it is kept; the list would only grow.
      this.#receiver.received.length = 0
      return answerIn(mood)
    }
  }

  get url(): string {
    return this.#receiver.url
  }

  /** Events that it has taken well, each counted once. */
  get count(): number {
    return this.#ids.size
  }

  /** Titles that no change of a poll has brought. */
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
