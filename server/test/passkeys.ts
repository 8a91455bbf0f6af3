import { OWN_PAGE } from './people.ts'
import type { Reply, TestService } from './service.ts'
import type { SoftwarePasskey } from './software-passkey.ts'

export interface PasskeyData {
  id: string
  name: string
  createdAt: string
  lastUsedAt?: string | null
}

/** A challenge for the person of this page, to register a passkey. */
export async function challengeToRegister(service: TestService, page: Record<string, string>): Promise<string> {
  const { body } = await service.post<{ challenge: string }>('auth/passkeys/options', { headers: page })
  return body.data.challenge
}

export async function challengeToSignIn(service: TestService): Promise<string> {
  const { body } = await service.post<{ challenge: string }>('auth/passkeys/challenge', { headers: OWN_PAGE })
  return body.data.challenge
}

export async function register(
  service: TestService,
  page: Record<string, string>,
  passkey: SoftwarePasskey,
): Promise<Reply<PasskeyData>> {
  const challenge = await challengeToRegister(service, page)
  const credential = passkey.create({ challenge, origin: service.deps.config.publicUrl })
  return service.post<PasskeyData>('auth/passkeys', { headers: page, json: { credential, name: 'A test key' } })
}

/** The assertion that a browser sends to sign in. */
export async function assertion(service: TestService, passkey: SoftwarePasskey): Promise<Record<string, unknown>> {
  const challenge = await challengeToSignIn(service)
  return passkey.get({ challenge, origin: service.deps.config.publicUrl })
}
