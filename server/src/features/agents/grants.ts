import type { Selectable } from 'kysely'
import { DAY, iso, isoOrNull, MINUTE, SECOND } from '../../base/clock.ts'
import { newToken, newUuid } from '../../base/ids.ts'
import { SCOPES_OF_ROLE } from '../../base/roles.ts'
import { keyedHash } from '../../base/secrets.ts'
import { newestFirst } from '../../db/keyset.ts'
import type { Db, Tx } from '../../db/store.ts'
import type { Tables } from '../../db/tables.ts'
import { relaxedTransaction, transaction } from '../../db/transaction.ts'
import { type ActivitySubject, recordActivity } from '../../events/activity.ts'
import type { Paging } from '../../http/paging.ts'
import type { Deps } from '../deps.ts'
import type { BrandCaller } from '../people/tokens/guards.ts'
import { refreshOnce } from '../people/tokens/refresh-once.ts'
import { LEAVES, type Leave } from './tools.ts'

type GrantRow = Selectable<Tables['agent_grants']>

const CODE_LIFE = 60 * SECOND
const ACCESS_LIFE = 900 * SECOND
const IDLE = 30 * DAY
const GRANT_LIFE = 90 * DAY

const leavesOf = (stored: string): Leave[] => LEAVES.filter((leave) => stored.split(' ').includes(leave))

export const grantSubject = ({ id, client_name }: Pick<GrantRow, 'id' | 'client_name'>): ActivitySubject => ({
  kind: 'agent',
  id,
  title: client_name,
})

interface NewGrant {
  readonly person: { readonly personKey: number; readonly memberId: string }
  readonly brandKey: number
  readonly client: { readonly id: string; readonly name: string }
  readonly leaves: readonly Leave[]
  readonly challenge: string
  readonly redirectUri: string
}

/** Returns the one-time code. Without it, within a minute, the grant ends by itself. */
export async function createGrant({ keys, clock }: Deps, tx: Tx, grant: NewGrant): Promise<string> {
  const code = newToken('tgc_')
  const now = clock.now()
  const { person, brandKey, client, leaves, challenge, redirectUri } = grant
  const id = newUuid()
  await tx
    .insertInto('agent_grants')
    .values({
      id,
      person_key: person.personKey,
      brand_key: brandKey,
      client_id: client.id,
      client_name: client.name,
      leaves: LEAVES.filter((leave) => leave === 'read' || leaves.includes(leave)).join(' '),
      code_hash: keyedHash(keys.token, code),
      code_challenge: challenge,
      redirect_uri: redirectUri,
      created_at: now,
      expires_at: now + CODE_LIFE,
    })
    .execute()
  const actor = { kind: 'member', key: person.personKey, id: person.memberId } as const
  const subject = grantSubject({ id, client_name: client.name })
  await recordActivity(tx, { brandKey, at: now, actor, action: 'agent.allowed', subject })
  return code
}

export interface GrantTokens {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: string
}

/** Null if the code is refused. A code that is presented again, by anybody, ends its grant. */
export function redeemCode(
  deps: Deps,
  { code, clientId, redirectUri, challenge }: Record<'code' | 'clientId' | 'redirectUri' | 'challenge', string>,
): Promise<GrantTokens | null> {
  return transaction(deps.engine, async (tx) => {
    const now = deps.clock.now()
    const hash = keyedHash(deps.keys.token, code)
    const grant = await tx.selectFrom('agent_grants').selectAll().where('code_hash', '=', hash).executeTakeFirst()
    if (!grant || grant.expires_at <= now) return null
    if (grant.redeemed_at === null) {
      const isTheirs = grant.client_id === clientId && grant.redirect_uri === redirectUri
      if (!isTheirs || grant.code_challenge !== challenge) return null
      // The conditional write decides the race between two that present the code.
      const { numUpdatedRows } = await tx
        .updateTable('agent_grants')
        .set({ redeemed_at: now, expires_at: now + IDLE })
        .where('key', '=', grant.key)
        .where('redeemed_at', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 1n) return issueTokens(deps, tx, grant)
    }
    await endGrant(tx, grant.key)
    return null
  })
}

async function issueTokens({ keys, clock }: Deps, tx: Tx, grant: GrantRow): Promise<GrantTokens> {
  const now = clock.now()
  const access = newToken('tga_')
  const refresh = newToken('tgr_')
  const latest = grant.created_at + GRANT_LIFE
  const expiresAt = Math.min(now + ACCESS_LIFE, latest)
  await tx
    .insertInto('agent_tokens')
    .values([
      { hash: keyedHash(keys.token, access), grant_key: grant.key, kind: 'access', expires_at: expiresAt },
      {
        hash: keyedHash(keys.token, refresh),
        grant_key: grant.key,
        kind: 'refresh',
        expires_at: Math.min(now + IDLE, latest),
      },
    ])
    .execute()
  return {
    access_token: access,
    token_type: 'Bearer',
    expires_in: Math.floor((expiresAt - now) / SECOND),
    refresh_token: refresh,
    scope: grant.leaves,
  }
}

/** Null if the token is refused; a reused one ends its grant. */
export function rotateGrantTokens(deps: Deps, token: string, clientId: string): Promise<GrantTokens | null> {
  const { engine, clock, keys } = deps
  return transaction(engine, async (tx) => {
    const now = clock.now()
    const grant = await liveGrantOf(tx, keyedHash(keys.token, token), now)
    if (!grant || grant.client_id !== clientId) return null
    // The grant is locked before its tokens, as where it is ended.
    const expiresAt = Math.min(now + IDLE, grant.created_at + GRANT_LIFE)
    await tx.updateTable('agent_grants').set({ expires_at: expiresAt }).where('key', '=', grant.key).execute()
    const presented = { table: 'agent_tokens', token, key: keys.token, now } as const
    const refreshed = await refreshOnce(tx, presented, async () => {
      const pair = await issueTokens(deps, tx, grant)
      return [pair, pair.refresh_token]
    })
    if (!refreshed) {
      await endGrant(tx, grant.key)
      return null
    }
    const { pair, ageSeconds } = refreshed
    return { ...pair, expires_in: Math.max(0, pair.expires_in - ageSeconds) }
  })
}

const liveGrantOf = (db: Db, refreshHash: Uint8Array, now: number) =>
  db
    .selectFrom('agent_tokens')
    .innerJoin('agent_grants', 'agent_grants.key', 'agent_tokens.grant_key')
    .selectAll('agent_grants')
    .where('agent_tokens.hash', '=', refreshHash)
    .where('agent_tokens.kind', '=', 'refresh')
    .where('agent_tokens.expires_at', '>', now)
    .where('agent_grants.expires_at', '>', now)
    .executeTakeFirst()

/** The tokens end with the grant. */
const endGrant = (tx: Tx, grantKey: number) => tx.deleteFrom('agent_grants').where('key', '=', grantKey).execute()

/** RFC 7009: either token ends the grant; an unknown one changes nothing. */
export const revokeGrantToken = (deps: Deps, token: string) =>
  transaction(deps.engine, (tx) =>
    tx
      .deleteFrom('agent_grants')
      .where('key', 'in', (query) =>
        query.selectFrom('agent_tokens').select('grant_key').where('hash', '=', keyedHash(deps.keys.token, token)),
      )
      .execute(),
  )

export interface AgentCaller extends BrandCaller {
  readonly leaves: readonly Leave[]
}

/** The caller of an access token. The role is that of now: who leaves the brand takes their agents along. */
export async function findAgent({ engine, keys, clock, log }: Deps, token: string): Promise<AgentCaller | null> {
  const now = clock.now()
  const found = await engine.db
    .selectFrom('agent_tokens')
    .innerJoin('agent_grants', 'agent_grants.key', 'agent_tokens.grant_key')
    .innerJoin('members', (join) =>
      join
        .onRef('members.person_key', '=', 'agent_grants.person_key')
        .onRef('members.brand_key', '=', 'agent_grants.brand_key'),
    )
    .innerJoin('people', 'people.key', 'agent_grants.person_key')
    .select(['agent_grants.key', 'agent_grants.id', 'agent_grants.brand_key', 'agent_grants.client_name'])
    .select(['agent_grants.leaves', 'agent_grants.last_used_at', 'members.role'])
    .select(['people.id as person_id', 'people.name as person_name', 'people.email'])
    .where('agent_tokens.hash', '=', keyedHash(keys.token, token))
    .where('agent_tokens.kind', '=', 'access')
    .where('agent_tokens.expires_at', '>', now)
    .where('agent_grants.expires_at', '>', now)
    .executeTakeFirst()
  if (!found) return null
  if (found.last_used_at === null || found.last_used_at <= now - MINUTE) {
    await relaxedTransaction(engine, (tx) =>
      tx.updateTable('agent_grants').set({ last_used_at: now }).where('key', '=', found.key).execute(),
    ).catch((err) => log.warn({ err }, 'cannot store when an agent was last used'))
  }
  const person = { id: found.person_id, name: found.person_name ?? found.email }
  return {
    brandKey: found.brand_key,
    actor: { kind: 'agent', key: found.key, id: found.id, name: found.client_name, person },
    scopes: SCOPES_OF_ROLE[found.role],
    leaves: leavesOf(found.leaves),
  }
}

interface Listed {
  readonly brandKey: number
  /** Null lists those of everybody. */
  readonly personKey: number | null
  readonly now: number
}

const listedGrants = (db: Db, { brandKey, personKey, now }: Listed) =>
  db
    .selectFrom('agent_grants')
    .innerJoin('people', 'people.key', 'agent_grants.person_key')
    .select(['agent_grants.id', 'agent_grants.client_id', 'agent_grants.client_name', 'agent_grants.leaves'])
    .select(['agent_grants.created_at', 'agent_grants.last_used_at', 'agent_grants.key'])
    .select(['people.id as member_id', 'people.email', 'people.name'])
    .where('agent_grants.brand_key', '=', brandKey)
    .where('agent_grants.redeemed_at', 'is not', null)
    .where('agent_grants.expires_at', '>', now)
    .$if(personKey !== null, (rows) => rows.where('agent_grants.person_key', '=', personKey ?? 0))

type ListedRow = Awaited<ReturnType<typeof grantsPage>>['rows'][number]

/** The newest first. */
export const grantsPage = (db: Db, listed: Listed, paging: Paging) =>
  newestFirst(db, 'agent_grants', listedGrants(db, listed), paging)

export const presentGrant = (row: ListedRow) => ({
  agentId: row.id,
  name: row.client_name,
  host: new URL(row.client_id).host,
  permissions: leavesOf(row.leaves),
  member: { memberId: row.member_id, email: row.email, name: row.name },
  createdAt: iso(row.created_at),
  lastUsedAt: isoOrNull(row.last_used_at),
})

/** Nothing if there is none, or only one of somebody else. */
export async function endListedGrant(tx: Tx, listed: Listed, id: string) {
  const found = await listedGrants(tx, listed).where('agent_grants.id', '=', id).executeTakeFirst()
  if (found) await endGrant(tx, found.key)
  return found
}
