import { derivedKey, seal, unseal } from '../../../base/secrets.ts'
import type { Deps } from '../../deps.ts'

export interface SecretBox {
  seal(secret: string): Uint8Array
  open(sealed: Uint8Array): string
}

/** Webhook secrets are needed for signing, so they are encrypted and not hashed. */
export function secretBox({ keys }: Pick<Deps, 'keys'>): SecretBox {
  const key = derivedKey(keys.apiSecret, 'tossup webhook secrets')
  return {
    seal: (secret) => seal(key, secret),
    open(sealed) {
      const secret = unseal(key, sealed)
      if (!secret) throw new Error('the secret of a webhook cannot be opened')
      return secret.toString('utf8')
    },
  }
}
