import { memoise } from '../base/memoise.ts'
import { preferencesIn } from './negotiate.ts'

/** In our order of preference, for codings that a client weights equally. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const

export type Coding = (typeof CODINGS)[number]

interface AcceptedCodings {
  readonly qualities: Readonly<Record<Coding, number>>
  /** 0 if the header does not mention identity: it is then acceptable, with the lowest preference. */
  readonly identity: number
  readonly refusesIdentity: boolean
}

const acceptedCodings = memoise(
  (header): AcceptedCodings => {
    const named = new Map(preferencesIn(header).map(({ name, quality }) => [ALIASES[name] ?? name, quality]))
    const others = named.get('*')
    const qualityOf = (coding: string) => named.get(coding) ?? others
    const identity = qualityOf('identity')
    return {
      qualities: { br: qualityOf('br') ?? 0, zstd: qualityOf('zstd') ?? 0, gzip: qualityOf('gzip') ?? 0 },
      identity: identity ?? 0,
      refusesIdentity: identity === 0,
    }
  },
  () => true,
)

/** RFC 9110, 8.4.1.3. */
const ALIASES: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' }

interface Offer<Offered> {
  readonly offered: readonly Offered[]
  /** Too short to gain from compression: compressed only for a client that refuses identity. */
  readonly isShort: boolean
}

/**
 * Chooses the content coding by Accept-Encoding; null means identity. A client that refuses identity and every coding
 * that we have gets identity all the same: a body that it did not ask for explains more than a 406.
 */
export function preferredCoding<Offered extends Coding>(
  header: string | null,
  { offered, isShort }: Offer<Offered>,
): Offered | null {
  if (!header) return null
  const { qualities, identity, refusesIdentity } = acceptedCodings(header)
  if (isShort && !refusesIdentity) return null
  let best: Offered | null = null
  for (const coding of offered) if (qualities[coding] > (best ? qualities[best] : 0)) best = coding
  return best && qualities[best] >= identity ? best : null
}
