import { sql } from 'kysely'
import { laterThan } from '../../base/clock.ts'
import { invalidField } from '../../base/errors.ts'
import type { Tx } from '../../db/store.ts'
import type { Deps, WriteDeps } from '../deps.ts'
import { codeHash, newCode, shownCode } from './code.ts'
import { type CodeListRow, lockCodeList } from './queries.ts'
import { MOST_CODES } from './schema.ts'

type IssueDeps = Pick<Deps, 'keys'> & Pick<WriteDeps, 'clock'>

interface Owned {
  readonly brandKey: number
  readonly id: string
}

/** New codes of a list, as people read them. They are stored in the order of their hashes, which is not that of the answer. */
export async function issueCodes(
  deps: IssueDeps,
  tx: Tx,
  { brandKey, id, count }: Owned & { readonly count: number },
): Promise<{ list: CodeListRow; codes: string[] }> {
  const list = await lockCodeList(tx, brandKey, id)
  if (list.issued + count > MOST_CODES)
    throw invalidField(
      'count',
      'too_many_codes',
      `A list has at most ${MOST_CODES} codes, and this one has ${list.issued}.`,
    )
  const codes = [...new Set(Array.from({ length: count }, newCode))]
  const hashes = codes.map((code) => codeHash(deps, code)).toSorted(Buffer.compare)
  await tx
    .insertInto('codes')
    .values(hashes.map((hash) => ({ list_key: list.key, hash })))
    .execute()
  const issued = list.issued + codes.length
  await tx
    .updateTable('code_lists')
    .set({ issued, updated_at: laterThan(list.updated_at, deps.clock.now()) })
    .where('key', '=', list.key)
    .execute()
  return { list: { ...list, issued }, codes: codes.map(shownCode) }
}

/** Counts the codes that were valid until now, and the texts that are no codes of the list. */
export async function revokeCodes(
  deps: IssueDeps,
  tx: Tx,
  { brandKey, id, codes }: Owned & { readonly codes: readonly string[] },
): Promise<{ list: CodeListRow; revoked: number; unknown: number }> {
  const list = await lockCodeList(tx, brandKey, id)
  const hashes = [
    ...new Map(
      codes.map((code) => codeHash(deps, code)).map((hash) => [Buffer.from(hash).toString('hex'), hash]),
    ).values(),
  ]
  const known = await tx
    .selectFrom('codes')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('list_key', '=', list.key)
    .where('hash', 'in', hashes)
    .executeTakeFirstOrThrow()
  const { numUpdatedRows } = await tx
    .updateTable('codes')
    .set({ is_revoked: 1 })
    .where('list_key', '=', list.key)
    .where('hash', 'in', hashes)
    .where('is_revoked', '=', 0)
    .executeTakeFirst()
  const revoked = Number(numUpdatedRows)
  if (revoked > 0)
    await tx
      .updateTable('code_lists')
      .set({ revoked: sql`revoked + ${revoked}`, updated_at: laterThan(list.updated_at, deps.clock.now()) })
      .where('key', '=', list.key)
      .execute()
  return { list, revoked, unknown: hashes.length - known.count }
}
