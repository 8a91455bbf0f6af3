import {
  brandContextRequired,
  credentialsMissing,
  type ErrorCode,
  invalidApiKey,
  invalidField,
  memberRequired,
  roleRequired,
  scopeRequired,
} from '../../../base/errors.ts'
import { isDeviceId } from '../../../base/ids.ts'
import type { Scope } from '../../../base/roles.ts'
import type { AppRow } from '../../../db/tables.ts'
import { header, type Incoming } from '../../../http/incoming.ts'
import { quotaOf } from '../../../http/limits/limits.ts'
import { countFailure } from '../../../http/limits/rate-limit.ts'
import { type Actor, actorName, type Guard } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { authenticateKey } from '../apps/apps.ts'
import { bearerOf } from './bearer.ts'
import { type Device, deviceOfUuid } from './device.ts'
import { failureClaim } from './token-limits.ts'

const BEARER_SECURITY = { bearer: [] }
const DEVICE_SECURITY = { deviceId: [] }
const KEY_SECURITY = { apiKeyId: [], apiKeySecret: [] }

export interface BrandCaller {
  readonly brandKey: number
  readonly actor: Actor
  readonly scopes: readonly Scope[]
}

export interface Voter {
  readonly device: Device
}

/** The parts that all guards of a brand's routes share. */
function brandGuard(deps: Deps): Required<Pick<Guard<BrandCaller>, 'ownerOf' | 'writeClaims'>> {
  const writes = quotaOf('brandWrites', deps.config)
  return {
    ownerOf: ({ brandKey }) => `brand ${brandKey}`,
    writeClaims: ({ actor }) => (writes.quota > 0 ? [{ quota: writes, key: actorName(actor) }] : []),
  }
}

/** A token of an app or a member of a brand that holds `scope`. */
export function brandScope(deps: Deps, scope: Scope): Guard<BrandCaller> {
  return {
    ...brandGuard(deps),
    async admit(incoming) {
      const { brandKey, actor, scopes } = await bearerOf(deps, incoming)
      if (brandKey === null) throw brandContextRequired()
      if (!scopes.includes(scope)) throw scopeRequired(scope)
      return { brandKey, actor, scopes }
    },
    security: [BEARER_SECURITY],
    errors: ['UNAUTHORIZED', 'SCOPE_REQUIRED', 'BRAND_CONTEXT_REQUIRED'],
  }
}

/** Any token of an app or a member of a brand, with any scopes. */
export const anyBrandScope = (deps: Deps): Guard<BrandCaller> => ({
  async admit(incoming) {
    const { brandKey, actor, scopes } = await bearerOf(deps, incoming)
    if (brandKey === null) throw brandContextRequired()
    return { brandKey, actor, scopes }
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
      if (!isDeviceId(id))
        throw invalidField('X-Device-Id', 'invalid_format', 'Must be a UUID of the device: not nil, not max.')
      return { device: deviceOfUuid(deps.keys.device, id) }
    },
    security: [DEVICE_SECURITY, BEARER_SECURITY],
    errors: scope ? [...errors, 'SCOPE_REQUIRED'] : errors,
  }
}

/** The key pair of an app, in its two headers. */
export function apiKey(deps: Deps): Guard<AppRow> {
  return {
    admit: (incoming) => keyHolder(deps, incoming),
    security: [KEY_SECURITY],
    errors: ['INVALID_API_KEY', 'RATE_LIMITED'],
  }
}

/** Where the token in the body is the credential, a key pair is optional, but must be right if sent. */
export function optionalApiKey(deps: Deps): Guard<AppRow | null> {
  return {
    async admit(incoming) {
      const isSent = header(incoming, 'x-api-key-id') !== null || header(incoming, 'x-api-key-secret') !== null
      return isSent ? keyHolder(deps, incoming) : null
    },
    security: [{}, KEY_SECURITY],
    errors: ['INVALID_API_KEY', 'RATE_LIMITED'],
  }
}

/** Verified before failures are counted, so that the failures of a network never refuse a neighbour's right key. */
async function keyHolder(deps: Deps, incoming: Incoming): Promise<AppRow> {
  const id = header(incoming, 'x-api-key-id') ?? ''
  const secret = header(incoming, 'x-api-key-secret') ?? ''
  const app = await authenticateKey(deps, id, secret)
  if (app) return app
  await countFailure(deps.limiter, failureClaim(deps, incoming))
  throw invalidApiKey()
}

interface MemberCaller extends BrandCaller {
  readonly actor: Extract<Actor, { kind: 'member' }>
}

/** For routes that only people may use: a token of a member of the brand, with any role. */
export function person(deps: Deps): Guard<MemberCaller> {
  return {
    ...brandGuard(deps),
    async admit(incoming) {
      const { brandKey, actor, scopes } = await bearerOf(deps, incoming)
      if (actor.kind !== 'member' || brandKey === null) throw memberRequired()
      return { brandKey, actor, scopes }
    },
    security: [BEARER_SECURITY],
    errors: ['UNAUTHORIZED', 'MEMBER_REQUIRED'],
  }
}

/** For routes that only an owner of the brand may use. */
export function owner(deps: Deps): Guard<MemberCaller> {
  const anyMember = person(deps)
  return {
    ...anyMember,
    async admit(incoming) {
      const caller = await anyMember.admit(incoming)
      if (caller.actor.role !== 'owner') throw roleRequired('owner')
      return caller
    },
    errors: [...anyMember.errors, 'ROLE_REQUIRED'],
  }
}
