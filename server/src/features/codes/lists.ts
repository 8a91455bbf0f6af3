import { laterThan } from '../../base/clock.ts'
import { AppError, invalidField } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { folded } from '../../base/text.ts'
import type { Tx } from '../../db/store.ts'
import type { Precondition } from '../../http/precondition.ts'
import type { WriteDeps } from '../deps.ts'
import { lockBrand } from '../people/tokens/queries.ts'
import { allCodeLists, type CodeListRow, findCodeList, lockCodeList } from './queries.ts'
import { codeListVersion, MOST_LISTS, presentCodeList } from './schema.ts'

/** Under the brand's lock, so that the second of two concurrent calls counts the first. */
export async function createCodeList(
  { clock }: Pick<WriteDeps, 'clock'>,
  tx: Tx,
  { brandKey, name }: { brandKey: number; name: string },
): Promise<CodeListRow> {
  await lockBrand(tx, brandKey)
  if ((await allCodeLists(tx, brandKey)).length >= MOST_LISTS)
    throw invalidField('', 'too_many_lists', `A brand has at most ${MOST_LISTS} code lists. Delete one first.`)
  const now = clock.now()
  const row = await tx
    .insertInto('code_lists')
    .values({
      id: newUuid(),
      brand_key: brandKey,
      name,
      name_folded: foldedName(name),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirstOrThrow(() => new AppError('NAME_TAKEN'))
  return { ...row, polls: 0 }
}

/** The longest text that an entry of a PostgreSQL index holds: folding makes up to eighteen characters of one. */
export const foldedName = (name: string): string => folded(name).slice(0, 600).toWellFormed()

interface Owned {
  readonly brandKey: number
  readonly id: string
  readonly ifMatch?: Precondition | null
}

/** False in `isChanged` if the list has that name already: then nothing is written. */
export async function renameCodeList(
  { clock, engine }: Pick<WriteDeps, 'clock' | 'engine'>,
  tx: Tx,
  { brandKey, id, ifMatch, name }: Owned & { readonly name: string | undefined },
): Promise<{ row: CodeListRow; isChanged: boolean }> {
  const list = await lockCodeList(tx, brandKey, id)
  ifMatch?.(codeListVersion(presentCodeList(list)))
  if (name === undefined || name === list.name) return { row: list, isChanged: false }
  try {
    const row = await tx
      .updateTable('code_lists')
      .set({ name, name_folded: foldedName(name), updated_at: laterThan(list.updated_at, clock.now()) })
      .where('key', '=', list.key)
      .returningAll()
      .executeTakeFirstOrThrow()
    return { row: { ...row, polls: list.polls }, isChanged: true }
  } catch (error) {
    throw engine.isTaken(error) ? new AppError('NAME_TAKEN') : error
  }
}

/** Gone for everybody at once; the worker removes its codes in batches. */
export async function deleteCodeList(
  { clock }: Pick<WriteDeps, 'clock'>,
  tx: Tx,
  { brandKey, id, ifMatch }: Owned,
): Promise<CodeListRow> {
  const list = await lockCodeList(tx, brandKey, id)
  ifMatch?.(codeListVersion(presentCodeList(list)))
  if (list.polls > 0) throw new AppError('CODE_LIST_IN_USE')
  await tx
    .updateTable('code_lists')
    .set({ name: '', name_folded: '', deleted_at: clock.now() })
    .where('key', '=', list.key)
    .execute()
  return list
}

/** Locks the list that a poll is to have, so that it is not deleted meanwhile. Null stays null. */
export async function listKeyOf(
  tx: Tx,
  { brandKey, codeListId }: { brandKey: number; codeListId: string | null },
): Promise<number | null> {
  if (codeListId === null) return null
  const row = await findCodeList(tx, brandKey, codeListId)
  if (!row) throw invalidField('codeListId', 'unknown_code_list', 'Must be the id of a code list of this brand.')
  return (await lockCodeList(tx, brandKey, codeListId)).key
}
