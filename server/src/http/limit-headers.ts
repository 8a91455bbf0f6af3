import type { Claim, Quota, Verdict } from './limiter.ts'

export interface LimitHeaders {
  readonly values: Readonly<Record<string, string>>
  /** One object for many answers, whose headers can therefore be prepared. */
  readonly isShared: boolean
}

/** Of a caller's first request in its window: the usual one for visitors. */
const ofFirst = new WeakMap<Quota, LimitHeaders>()

export function limitHeaders({ quota }: Claim, verdict: Verdict): LimitHeaders {
  if (verdict.remaining !== quota.quota - 1 || verdict.resetSeconds !== quota.windowSeconds) {
    return { values: headersOf(quota, verdict), isShared: false }
  }
  const known = ofFirst.get(quota) ?? { values: headersOf(quota, verdict), isShared: true }
  ofFirst.set(quota, known)
  return known
}

const headersOf = ({ policy, quota, windowSeconds }: Quota, { remaining, resetSeconds }: Verdict) => ({
  'RateLimit-Policy': `"${policy}";q=${quota};w=${windowSeconds}`,
  RateLimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
})
