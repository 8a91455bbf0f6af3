import { remembering } from '../base/remembering.ts'
import { preferencesIn } from './negotiate.ts'

/** Best first, of codings that a client likes equally. */
export const CODINGS = ['br', 'zstd', 'gzip'] as const

export type Coding = (typeof CODINGS)[number]

interface AcceptedCodings {
  readonly qualities: Readonly<Record<Coding, number>>
  /** 0 where the header says nothing of it: then it is acceptable, and liked least. */
  readonly identity: number
  readonly refusesIdentity: boolean
}

const acceptedCodings = remembering(
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
 * The coding for an answer by the request's Accept-Encoding, or null for none. A client that refuses identity and every
 * coding on offer gets identity: an answer that it may not read says more than a 406.
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
