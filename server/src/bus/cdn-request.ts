/** Worth another attempt; every other refusal is final. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500

export interface CdnPlace {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** An answer after which the same request would fail again. */
export class PurgeRefused extends Error {}

/** One request that purges these keys. The message of its error names neither the address nor a header: both can hold a secret. */
export async function purgeAt({ url, headers }: CdnPlace, keys: readonly string[], signal: AbortSignal): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json', 'Surrogate-Key': keys.join(' ') },
    body: JSON.stringify({ surrogate_keys: keys }),
    // The headers belong to this address alone.
    redirect: 'manual',
    signal,
  })
  await answer.body?.cancel()
  if (answer.ok) return
  const reason = `the CDN answered ${answer.status}`
  throw isPassing(answer.status) ? new Error(reason) : new PurgeRefused(reason)
}
