import { sql } from 'kysely'
import { DAY } from '../base/clock.ts'
import { AppError, idempotencyInProgress } from '../base/errors.ts'
import { type Bytes, isSameSecret, keyedHash, seal, unseal } from '../base/secrets.ts'
import type { Engine, Tx } from '../db/store.ts'
import { transaction } from '../db/transaction.ts'
import type { OnceAnswer, Rendered } from './answers/answer.ts'
import { errorBody } from './answers/reply.ts'

const KEPT_FOR = DAY
export const LONGEST_KEY = 255
/** Refusals that are part of the first execution; 401, 403, 422, 429 and 5xx leave the key free. */
export const STORED_REFUSALS = new Set([400, 404, 409])
const FINGERPRINT_KEY = new TextEncoder().encode('tossup request')

export interface KeyedRequest {
  readonly brandKey: number
  readonly key: string
  readonly fingerprint: Uint8Array
  readonly requestId: string
  readonly now: number
  /** The key that encrypts stored answers which contain a secret. */
  readonly sealKey?: Bytes | null
}

export function readIdempotencyKey(value: string | null, longest = LONGEST_KEY): string {
  if (value === null || value === '') throw new AppError('IDEMPOTENCY_KEY_REQUIRED')
  if (value.length < 8 || value.length > longest || !/^[A-Za-z0-9._~-]+$/.test(value)) {
    throw new AppError('IDEMPOTENCY_KEY_INVALID', { details: { maxLength: longest } })
  }
  return value
}

interface Fingerprinted {
  readonly method: string
  readonly path: string
  readonly body: unknown
  /** Set where the answer holds a secret: for another credential of the brand it is another request, refused with 422. */
  readonly caller: string | null
}

export const requestFingerprint = ({ method, path, body, caller }: Fingerprinted): Uint8Array =>
  keyedHash(FINGERPRINT_KEY, JSON.stringify([method, path, body ?? null, ...(caller === null ? [] : [caller])]))

/** Runs `work` once for each key: its writes and the key's record commit in one transaction. */
export function runOnce(
  engine: Engine,
  request: KeyedRequest,
  work: (tx: Tx) => Promise<Rendered>,
): Promise<OnceAnswer> {
  return transaction(engine, async (tx) => {
    if (!(await engine.tryLock(tx, `idempotency ${request.brandKey} ${request.key}`))) throw idempotencyInProgress()
    const earlier = await findEarlier(tx, request)
    if (earlier) return { ...earlier, isReplay: true }
    const rendered = await executeOrRefuse(tx, request, work)
    await tx
      .insertInto('idempotency_keys')
      .values({
        brand_key: request.brandKey,
        key: request.key,
        fingerprint: request.fingerprint,
        status: rendered.status,
        body: request.sealKey ? seal(request.sealKey, rendered.body) : Buffer.from(rendered.body),
        location: rendered.location,
        request_id: rendered.requestId,
        expires_at: request.now + KEPT_FOR,
      })
      .execute()
    return { ...rendered, isReplay: false }
  })
}

async function findEarlier(
  tx: Tx,
  { brandKey, key, fingerprint, now, sealKey }: KeyedRequest,
): Promise<Rendered | null> {
  const row = await tx
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('brand_key', '=', brandKey)
    .where('key', '=', key)
    .executeTakeFirst()
  if (!row) return null
  if (row.expires_at <= now) {
    await tx.deleteFrom('idempotency_keys').where('brand_key', '=', brandKey).where('key', '=', key).execute()
    return null
  }
  if (!isSameSecret(row.fingerprint, fingerprint)) throw new AppError('IDEMPOTENCY_KEY_REUSED')
  const body = sealKey ? unseal(sealKey, row.body) : Buffer.from(row.body)
  if (!body) throw new Error('a stored answer cannot be opened')
  return { status: row.status, body: body.toString('utf8'), location: row.location, requestId: row.request_id }
}

/** A refusal rolls back what `work` wrote, and is stored as the answer. */
async function executeOrRefuse(
  tx: Tx,
  { requestId }: KeyedRequest,
  work: (tx: Tx) => Promise<Rendered>,
): Promise<Rendered> {
  await sql`savepoint effect`.execute(tx)
  try {
    return await work(tx)
  } catch (error) {
    if (!(error instanceof AppError) || !STORED_REFUSALS.has(error.status)) throw error
    await sql`rollback to savepoint effect`.execute(tx)
    return { status: error.status, body: errorBody(error, requestId), location: null, requestId }
  }
}
