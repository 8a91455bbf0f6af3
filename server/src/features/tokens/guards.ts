import {
  brandContextRequired,
  credentialsMissing,
  type ErrorCode,
  invalidAccessToken,
  invalidApiKey,
  invalidField,
  scopeRequired,
} from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import type { Scope } from '../../base/scopes.ts'
import type { AppRow } from '../../db/tables.ts'
import type { Deps } from '../../deps.ts'
import type { Guard } from '../../http/guard.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { countFailure, refuseWhenFull } from '../../http/rate-limit.ts'
import { authenticateKey } from './apps.ts'
import { type Device, deviceOfUuid } from './device.ts'
import { failureClaim } from './limits.ts'
import { findLiveAccess, tokenHash } from './queries.ts'
import { scopesOf } from './schema.ts'

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i
const BEARER_SECURITY = { bearer: [] }
const DEVICE_SECURITY = { deviceId: [] }
const KEY_SECURITY = { apiKeyId: [], apiKeySecret: [] }

interface Bearer {
  readonly brandKey: number | null
  readonly device: Device
  readonly scopes: readonly Scope[]
}

export interface BrandCaller {
  readonly brandKey: number
  readonly scopes: readonly Scope[]
}

export interface Voter {
  readonly device: Device
}

async function bearerOf(deps: Deps, incoming: Incoming): Promise<Bearer> {
  const given = header(incoming, 'authorization')
  if (given === null) throw credentialsMissing()
  const token = BEARER.exec(given)?.[1]
  const found = token && (await findLiveAccess(deps.engine.db, tokenHash(deps.keys.token, token), deps.clock.now()))
  if (!found) throw invalidAccessToken()
  return { brandKey: found.brand_key, device: found.device, scopes: scopesOf(found.scopes) }
}

/** A token of a brand's app that holds `scope`. */
export function brandScope(deps: Deps, scope: Scope): Guard<BrandCaller> {
  return {
    async admit(incoming) {
      const { brandKey, scopes } = await bearerOf(deps, incoming)
      if (brandKey === null) throw brandContextRequired()
      if (!scopes.includes(scope)) throw scopeRequired(scope)
      return { brandKey, scopes }
    },
    security: [BEARER_SECURITY],
    errors: ['UNAUTHORIZED', 'SCOPE_REQUIRED', 'BRAND_CONTEXT_REQUIRED'],
    ownerOf: ({ brandKey }) => `brand ${brandKey}`,
  }
}

/** Any token of a brand's app, whatever its scopes. */
export const anyBrandScope = (deps: Deps): Guard<BrandCaller> => ({
  async admit(incoming) {
    const { brandKey, scopes } = await bearerOf(deps, incoming)
    if (brandKey === null) throw brandContextRequired()
    return { brandKey, scopes }
  },
  security: [BEARER_SECURITY],
  errors: ['UNAUTHORIZED', 'BRAND_CONTEXT_REQUIRED'],
})

/** A device by its header, or by the token that an app holds for it; the token wins. */
export function voter(deps: Deps, scope?: Scope): Guard<Voter> {
  const errors: ErrorCode[] = ['UNAUTHORIZED', 'VALIDATION_ERROR']
  async function admitBearer(incoming: Incoming): Promise<Voter> {
    const bearer = await bearerOf(deps, incoming)
    if (scope && !bearer.scopes.includes(scope)) throw scopeRequired(scope)
    return { device: bearer.device }
  }
  return {
    admit(incoming) {
      if (header(incoming, 'authorization') !== null) return admitBearer(incoming)
      const id = header(incoming, 'x-device-id')
      if (id === null || id === '') throw credentialsMissing()
      if (!isUuid(id)) throw invalidField('X-Device-Id', 'invalid_format', 'A UUID.')
      return { device: deviceOfUuid(deps.keys.device, id) }
    },
    security: [DEVICE_SECURITY, BEARER_SECURITY],
    errors: scope ? [...errors, 'SCOPE_REQUIRED'] : errors,
  }
}

/** The key pair of an app, in its two headers. */
export function apiKey(deps: Deps): Guard<AppRow> {
  return {
    async admit(incoming) {
      await refuseWhenFull(deps.limiter, failureClaim(deps, incoming))
      return keyHolder(deps, incoming)
    },
    security: [KEY_SECURITY],
    errors: ['INVALID_API_KEY', 'RATE_LIMITED'],
  }
}

/** Where the token in the body is the credential, a key pair is optional, but must be right if sent. */
export function optionalApiKey(deps: Deps): Guard<AppRow | null> {
  return {
    async admit(incoming) {
      await refuseWhenFull(deps.limiter, failureClaim(deps, incoming))
      const isSent = header(incoming, 'x-api-key-id') !== null || header(incoming, 'x-api-key-secret') !== null
      return isSent ? keyHolder(deps, incoming) : null
    },
    security: [{}, KEY_SECURITY],
    errors: ['INVALID_API_KEY', 'RATE_LIMITED'],
  }
}

async function keyHolder(deps: Deps, incoming: Incoming): Promise<AppRow> {
  const id = header(incoming, 'x-api-key-id') ?? ''
  const secret = header(incoming, 'x-api-key-secret') ?? ''
  const app = await authenticateKey(deps, id, secret)
  if (app) return app
  await countFailure(deps.limiter, failureClaim(deps, incoming))
  throw invalidApiKey()
}
