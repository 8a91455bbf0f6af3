import { MINUTE } from '../../../base/clock.ts'
import {
  AppError,
  credentialsMissing,
  type ErrorCode,
  invalidAccessToken,
  invalidApiKey,
  invalidField,
  roleRequired,
} from '../../../base/errors.ts'
import { isDeviceId } from '../../../base/ids.ts'
import { SCOPES_OF_ROLE, type Scope } from '../../../base/roles.ts'
import { newSalt, saltedHash, shortKeyedHash } from '../../../base/secrets.ts'
import type { AppRow } from '../../../db/tables.ts'
import { relaxedTransaction } from '../../../db/transaction.ts'
import { header, Incoming } from '../../../http/incoming.ts'
import { type Claim, type HiddenKey, quotaOf } from '../../../http/limits/limits.ts'
import { countFailure } from '../../../http/limits/rate-limit.ts'
import { type Actor, actorName, type Guard } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { authenticateKey } from '../apps/apps.ts'
import { type Device, deviceOfMember, deviceOfUuid } from './device.ts'
import { findLiveAccess, findLiveSessionToken, hasAccess, isSessionToken, tokenHash } from './queries.ts'
import { scopesOf } from './token-pairs.ts'

export const tokenClaim = (deps: Deps, apiKeyId: string): Claim => ({
  quota: quotaOf('tokens', deps.config),
  key: apiKeyId,
})

export const failureClaim = (deps: Deps, { network }: Incoming): Claim => ({
  quota: quotaOf('authFailures', deps.config),
  key: networkName(deps, network),
})

const NETWORK_BYTES = 16

/** Addresses are hashed before they are kept, even in memory: see `networkKey` for one that only counts. */
const networkHash = ({ keys }: Pick<Deps, 'keys'>, network: string): Uint8Array =>
  shortKeyedHash(keys.network, network, NETWORK_BYTES)

/** A salt of this process: counts in memory need no hash that other processes could repeat. */
const salt = newSalt()

/** A network as a caller, without computing its keyed hash where limits are in memory. */
export const networkKey = (deps: Pick<Deps, 'keys'>, network: string): HiddenKey => ({
  number: saltedHash(network, salt),
  hash: () => networkHash(deps, network),
})

export const networkName = (deps: Pick<Deps, 'keys'>, network: string): string =>
  Buffer.from(networkHash(deps, network)).toString('base64url')

/** Stores that an app is in use, at most once a minute. The request goes on even if that fails. */
async function noteUse(
  { engine, clock, log }: Pick<Deps, 'engine' | 'clock' | 'log'>,
  { key, last_used_at: before }: Pick<AppRow, 'key' | 'last_used_at'>,
): Promise<void> {
  const now = clock.now()
  if (before !== null && before > now - MINUTE) return
  try {
    await relaxedTransaction(engine, (tx) =>
      tx
        .updateTable('apps')
        .set({ last_used_at: now })
        .where('key', '=', key)
        .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<=', now - MINUTE)]))
        .execute(),
    )
  } catch (error) {
    log.warn({ err: error }, 'cannot store when an app was last used')
  }
}

const BEARER = /^Bearer +([A-Za-z0-9._~+/=-]+)$/i

/** Undefined if the header is missing or has another form. */
export const bearerToken = (incoming: Incoming): string | undefined =>
  BEARER.exec(header(incoming, 'authorization') ?? '')?.[1]

interface Bearer extends Omit<BrandCaller, 'brandKey'> {
  readonly brandKey: number | null
  readonly device: Device
}

/** A request that the service makes itself, for an agent that it has let in. */
export class RequestOfAgent extends Incoming {
  readonly caller: BrandCaller

  constructor(request: Request, outer: Incoming, caller: BrandCaller) {
    const { peers } = outer.surroundings
    // The connection is that of the agent.
    const own = {
      addressOf: () => peers.addressOf(outer.request),
      connectionOf: () => peers.connectionOf(outer.request),
      holdOpen: () => undefined,
    }
    super(request, { ...outer.surroundings, peers: own })
    this.caller = caller
  }
}

/** Read from the database for each request: a token ends at once with its family, its app, its session or its member. */
async function bearerOf(deps: Deps, incoming: Incoming): Promise<Bearer> {
  if (incoming instanceof RequestOfAgent)
    return { ...incoming.caller, device: deviceOfMember(deps.keys.device, incoming.caller.actor.id) }
  if (header(incoming, 'authorization') === null) throw credentialsMissing()
  const token = bearerToken(incoming)
  const bearer = token && (await (isSessionToken(token) ? memberBearer(deps, token) : appBearer(deps, token)))
  if (!bearer) throw invalidAccessToken()
  return bearer
}

async function appBearer(deps: Deps, token: string): Promise<Bearer | null> {
  const found = await findLiveAccess(deps.engine.db, tokenHash(deps.keys.token, token), deps.clock.now())
  if (!found) return null
  await noteUse(deps, { key: found.app_key, last_used_at: found.last_used_at })
  const actor = { kind: 'app', key: found.app_key, id: found.app_id } as const
  return { brandKey: found.brand_key, actor, device: found.device, scopes: scopesOf(found.scopes) }
}

/** The role is that of now, not of the moment at which the token was issued. */
async function memberBearer({ engine, keys, clock }: Deps, token: string): Promise<Bearer | null> {
  const found = await findLiveSessionToken(engine.db, tokenHash(keys.token, token), clock.now())
  if (!found) return null
  const { role, id, person_key: key, brand_key: brandKey } = found
  const device = deviceOfMember(keys.device, id)
  return { brandKey, actor: { kind: 'member', key, id, role }, device, scopes: SCOPES_OF_ROLE[role] }
}

const BEARER_SECURITY = { bearer: [] }
const DEVICE_SECURITY = { deviceId: [] }
const KEY_SECURITY = { apiKeyId: [], apiKeySecret: [] }

export interface BrandCaller {
  readonly brandKey: number
  readonly actor: Actor
  readonly scopes: readonly Scope[]
}

export type Voter = Pick<Bearer, 'device'>

/** The parts that all guards of a brand's routes share. */
function brandGuard(deps: Deps): Required<Pick<Guard<BrandCaller>, 'ownerOf' | 'writeClaims'>> {
  const writes = quotaOf('brandWrites', deps.config)
  return {
    ownerOf: ({ brandKey }) => `brand ${brandKey}`,
    writeClaims: ({ actor }) => (writes.quota > 0 ? [{ quota: writes, key: actorName(actor) }] : []),
  }
}

/** A token of an app or a member of a brand that holds `scope`; without it, any token. */
export function brandScope(deps: Deps, scope?: Scope): Guard<BrandCaller> {
  return {
    ...brandGuard(deps),
    async admit(incoming) {
      const { brandKey, actor, scopes } = await bearerOf(deps, incoming)
      if (brandKey === null) throw new AppError('BRAND_CONTEXT_REQUIRED')
      if (scope && !scopes.includes(scope)) throw new AppError('SCOPE_REQUIRED', { details: { scope } })
      return { brandKey, actor, scopes }
    },
    // No tool downloads a file.
    stillAdmits: async ({ brandKey, actor }) =>
      actor.kind !== 'agent' && hasAccess(deps.engine.db, { brandKey, actor, scope }),
    security: [BEARER_SECURITY],
    errors: ['UNAUTHORIZED', ...(scope ? ['SCOPE_REQUIRED' as const] : []), 'BRAND_CONTEXT_REQUIRED'],
  }
}

/** A device by its header, or by the token that an app holds for it; the token wins. */
export function voter(deps: Deps, scope?: Scope): Guard<Voter> {
  const errors: ErrorCode[] = ['UNAUTHORIZED', 'VALIDATION_ERROR']
  async function admitBearer(incoming: Incoming): Promise<Voter> {
    const bearer = await bearerOf(deps, incoming)
    if (scope && !bearer.scopes.includes(scope)) throw new AppError('SCOPE_REQUIRED', { details: { scope } })
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

/**
 * The device as the request names it. No table has the id in a header; that of a token is known only by its hash. So to a poll
 * with codes, a device by its id and the same device by a token are two.
 */
export const deviceText = (incoming: Incoming, { device }: Voter): string =>
  header(incoming, 'authorization') === null
    ? `uuid:${header(incoming, 'x-device-id')?.toLowerCase()}`
    : `hash:${Buffer.from(device).toString('hex')}`

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
      if (actor.kind !== 'member' || brandKey === null) throw new AppError('MEMBER_REQUIRED')
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
