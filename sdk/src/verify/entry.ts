import { sha256Of } from '../challenge/sha256.ts'

const NONCE_BYTES = 16

/** Null for what is not canonical base64. */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(base64)
    return btoa(binary) === base64 ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : null
  } catch {
    return null
  }
}

const base64Of = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

/** The entry of a vote in the log of its poll, from the nonce of its receipt. Null if that is no nonce. */
export function entryOf(option: 'A' | 'B', nonce: string): string | null {
  const bytes = bytesIn(`${nonce.replaceAll('-', '+').replaceAll('_', '/')}==`)
  if (bytes?.length !== NONCE_BYTES) return null
  const commitment = base64Of(sha256Of(bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return `tossup-vote/1 ${option} ${commitment}`
}
