import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { invalidField, notFound } from '../../base/errors.ts'
import { timestamp } from '../../base/fields.ts'
import type { Db, Tx } from '../../db/store.ts'
import { declaredSource, MOST_SOURCE_NAMES, sourceNameText } from '../../events/resources/source-name.ts'
import { type Route, route, writeOnce } from '../../http/route.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { brandSubject, lockBrand } from '../people/tokens/queries.ts'

const name = declaredSource.meta({
  description: 'A place that links to polls, such as a newsletter, a page or a poster. Never name a person.',
  examples: ['newsletter'],
})

const sourceNameBody = z.strictObject({ name }).meta({ id: 'SourceNameCreate', description: 'A source to declare.' })

const sourceName = z
  .object({
    name: z.string().meta({ description: 'The name of the source.', examples: ['newsletter'] }),
    createdAt: timestamp.describe('When it was declared.'),
  })
  .meta({ id: 'SourceName', description: 'A source that the brand has declared.' })

interface NameRow {
  readonly name: string
  readonly created_at: number
}

const present = ({ name: shown, created_at }: NameRow): z.infer<typeof sourceName> => ({
  name: shown,
  createdAt: iso(created_at),
})

const namesOf = (db: Db, brandKey: number) =>
  db
    .selectFrom('source_names')
    .select(['name', 'created_at'])
    .where('brand_key', '=', brandKey)
    .orderBy('name')
    .execute()

/** Under the brand's lock, so that the second of two concurrent declarations counts the first. */
async function declare(tx: Tx, brandKey: number, row: NameRow): Promise<{ row: NameRow; isNew: boolean }> {
  await lockBrand(tx, brandKey)
  const held = await namesOf(tx, brandKey)
  const known = held.find((each) => each.name === row.name)
  if (known) return { row: known, isNew: false }
  if (held.length >= MOST_SOURCE_NAMES)
    throw invalidField(
      'name',
      'too_many_sources',
      `A brand has at most ${MOST_SOURCE_NAMES} sources. Delete one first.`,
    )
  await tx
    .insertInto('source_names')
    .values({ brand_key: brandKey, ...row })
    .execute()
  return { row, isNew: true }
}

export function sourceNameRoutes(deps: Deps): Route[] {
  const { db } = deps.engine
  const common = { tag: 'Analytics', guard: brandScope(deps, 'manage'), caching: 'private' } as const
  const subjectOf = async (tx: Tx, brandKey: number, title: string) => ({
    ...(await brandSubject(tx, brandKey)),
    title,
  })

  return [
    route({
      method: 'GET',
      path: '/brands/me/source-names',
      name: 'listSourceNames',
      ...common,
      summary: 'The sources that you have declared',
      description: 'All of them, at most 200, by name.',
      answers: { 200: { description: 'The sources.', schema: z.array(sourceName).max(MOST_SOURCE_NAMES) } },
      handle: async ({ identity }) => ({ data: (await namesOf(db, identity.brandKey)).map(present) }),
    }),

    writeOnce({
      method: 'POST',
      path: '/brands/me/source-names',
      name: 'createSourceName',
      action: 'source_name.created',
      ...common,
      summary: 'Declare a source',
      description:
        'From now on, votes and views with this `source` are counted apart. To declare it again changes nothing, and answers the same.',
      body: sourceNameBody,
      answers: { 201: { description: 'The source.', schema: sourceName } },
      async handle({ identity: { brandKey }, body, now }, tx) {
        const { row, isNew } = await declare(tx, brandKey, { name: body.name, created_at: now })
        return { status: 201, data: present(row), subject: isNew ? await subjectOf(tx, brandKey, row.name) : null }
      },
    }),

    writeOnce({
      method: 'DELETE',
      path: '/brands/me/source-names/{name}',
      name: 'deleteSourceName',
      action: 'source_name.deleted',
      ...common,
      summary: 'Delete a source',
      description:
        'Its votes and views, earlier ones too, are part of `other` from now on, also if the name is declared again.',
      params: z.object({
        name: sourceNameText.meta({ description: 'The name of the source.', examples: ['newsletter'] }),
      }),
      answers: { 204: { description: 'Deleted.' } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { brandKey }, params }, tx) {
        const { numDeletedRows } = await tx
          .deleteFrom('source_names')
          .where('brand_key', '=', brandKey)
          .where('name', '=', params.name)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw notFound()
        return { status: 204, subject: await subjectOf(tx, brandKey, params.name) }
      },
    }),
  ]
}
