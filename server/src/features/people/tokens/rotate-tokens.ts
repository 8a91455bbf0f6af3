import { SECOND } from '../../../base/clock.ts'
import { derivedKey, seal, unseal } from '../../../base/secrets.ts'
import type { Tx } from '../../../db/store.ts'
import { transaction } from '../../../db/transaction.ts'
import type { Deps } from '../../deps.ts'
import { issueTokens } from './issue-tokens.ts'
import { findRefresh, isLiveFamily, revokeFamily, tokenHash } from './queries.ts'
import { scopesOf, type TokenPair, tokenPair } from './schema.ts'

/** How long a client whose answer was lost may repeat a refresh. */
const GRACE = 30 * SECOND

type RefreshRow = NonNullable<Awaited<ReturnType<typeof findRefresh>>>

/** Null when the token is refused; a reused one revokes its whole family. */
export function rotateTokens(deps: Deps, presented: string): Promise<TokenPair | null> {
  const hash = tokenHash(deps.keys.token, presented)
  return transaction(deps.engine, async (tx) => {
    const before = await findRefresh(tx, hash)
    if (!before || !isLive(before, deps.clock.now())) return null
    if (await claim(tx, hash, deps.clock.now())) return succeed(deps, tx, { hash, presented, row: before })
    const used = await findRefresh(tx, hash)
    return used ? answerReuse(deps, tx, { presented, row: used }) : null
  })
}

const isLive = (row: RefreshRow, now: number): boolean => isLiveFamily(row, now) && row.expires_at > now

/** The conditional write decides the race: of concurrent requests one uses the token. */
async function claim(tx: Tx, hash: Uint8Array, now: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('refresh_tokens')
    .set({ used_at: now })
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

interface Presented {
  readonly presented: string
  readonly row: RefreshRow
}

async function succeed(deps: Deps, tx: Tx, { hash, presented, row }: Presented & { hash: Uint8Array }) {
  const family = { key: row.family_key, scopes: scopesOf(row.scopes), expiresAt: row.family_expires_at }
  const pair = await issueTokens(deps, tx, family)
  await tx
    .updateTable('refresh_tokens')
    .set({
      successor_hash: tokenHash(deps.keys.token, pair.refreshToken),
      successor_pair: seal(pairKey(presented), JSON.stringify(pair)),
    })
    .where('hash', '=', hash)
    .execute()
  return pair
}

async function answerReuse(deps: Deps, tx: Tx, { presented, row }: Presented): Promise<TokenPair | null> {
  const now = deps.clock.now()
  if (row.revoked_at !== null) return null
  const { used_at, successor_hash, successor_pair } = row
  const successor = successor_hash && (await findRefresh(tx, successor_hash))
  const isGrace = used_at !== null && now - used_at <= GRACE && successor && successor.used_at === null
  const sealed = isGrace && successor_pair && unseal(pairKey(presented), successor_pair)
  if (!sealed) {
    await revokeFamily(tx, row.family_key, now)
    return null
  }
  const pair = tokenPair.parse(JSON.parse(sealed.toString('utf8')))
  const elapsed = Math.ceil((now - used_at) / SECOND)
  return { ...pair, expiresIn: Math.max(0, pair.expiresIn - elapsed) }
}

/** Only the presented token can decrypt the pair that it was exchanged for. */
const pairKey = (presented: string) => derivedKey(presented, 'tossup token pair')
