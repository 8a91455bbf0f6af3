// features/people/oidc: signing in with an account of a provider of OpenID Connect.

import type { Configuration } from 'openid-client'
import type { Config } from '../../../config/config.ts'

/** The provider gets a part of the ten seconds in which every request is answered. */
const TIMEOUT_SECONDS = 4

type OidcConfig = Pick<Config, 'oidcIssuer' | 'oidcClientId' | 'oidcClientSecret' | 'publicUrl'>

/** Caches the provider's discovery document from the first sign-in on; a failure is not cached. */
export class Provider {
  readonly #config: OidcConfig
  #discovered: Promise<Configuration> | null = null

  constructor(config: OidcConfig) {
    this.#config = config
  }

  get redirectUri(): string {
    return `${this.#config.publicUrl}/api/rest/v1/auth/oidc/callback`
  }

  configuration(): Promise<Configuration> {
    this.#discovered ??= discover(this.#config).catch((error) => {
      this.#discovered = null
      throw error
    })
    return this.#discovered
  }
}

async function discover({ oidcIssuer, oidcClientId, oidcClientSecret }: OidcConfig): Promise<Configuration> {
  if (oidcIssuer === null || oidcClientId === null || oidcClientSecret === null) {
    throw new Error('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET are not set')
  }
  // Loaded at the first sign-in: most servers have no provider.
  const { allowInsecureRequests, ClientSecretBasic, discovery, enableNonRepudiationChecks } = await import(
    'openid-client'
  )
  const isPlain = oidcIssuer.startsWith('http://')
  return discovery(new URL(oidcIssuer), oidcClientId, oidcClientSecret, ClientSecretBasic(oidcClientSecret), {
    timeout: TIMEOUT_SECONDS,
    // Verifies the signature of the id token too, which is otherwise left to TLS.
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
  })
}
