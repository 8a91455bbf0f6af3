import { z } from 'zod'
import { iso } from '../../base/clock.ts'
import { count, idOf, nameText, timestamp, uuid } from '../../base/fields.ts'
import type { ActivitySubject } from '../../events/activity.ts'
import { type Version, versionedTag } from '../../http/precondition.ts'
import type { CodeListRow } from './queries.ts'

export const MOST_LISTS = 100
/** In one list, revoked ones included. */
export const MOST_CODES = 200_000
/** In one request. */
const MOST_AT_ONCE = 1_000

const about = {
  name: {
    description: 'The name of the list, unique in the brand without regard to case.',
    examples: ['Members 2026'],
  },
}

export const codeListParams = z.object({
  codeListId: idOf('code list').meta({
    description: 'The id of the code list.',
    examples: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'],
  }),
})

export const createCodeListBody = z
  .strictObject({ name: nameText(1, 80).meta(about.name) })
  .meta({ id: 'CodeListCreate', description: 'A new code list.' })

export const updateCodeListBody = z
  .strictObject({ name: nameText(1, 80).optional().meta(about.name) })
  .meta({ id: 'CodeListUpdate', description: 'The fields to change.' })

export const codeList = z
  .object({
    codeListId: uuid.describe('The id of the list: `codeListId` of a poll names it.'),
    name: z.string().meta(about.name),
    issued: count.meta({ description: 'How many codes were issued, revoked ones included.', examples: [30] }),
    used: count.meta({ description: 'How many codes have voted, on one poll or several.', examples: [12] }),
    revoked: count.meta({ description: 'How many codes were revoked.', examples: [1] }),
    polls: count.meta({ description: 'How many polls ask for codes of this list.', examples: [1] }),
    createdAt: timestamp.describe('When the list was created.'),
    updatedAt: timestamp.describe('When it was renamed, or when codes were last issued or revoked.'),
  })
  .meta({ id: 'CodeList', description: 'A list of codes, each of which votes once on each poll that names the list.' })

export const issueCodesBody = z
  .strictObject({
    count: z
      .int()
      .min(1)
      .max(MOST_AT_ONCE)
      .meta({ description: 'How many codes to issue.', examples: [30] }),
  })
  .meta({ id: 'CodesIssue', description: 'How many codes to issue.' })

const codeText = z.string().meta({ description: 'A code.', examples: ['K7QM-2F8X-9RTA'] })

export const issuedCodes = z
  .object({
    codes: z.array(codeText).meta({ description: 'The new codes.', examples: [['K7QM-2F8X-9RTA']] }),
    issued: count.meta({ description: 'How many codes of the list were issued in all.', examples: [30] }),
  })
  .meta({ id: 'IssuedCodes', description: 'New codes. They are shown in this answer alone.' })

export const revokeCodesBody = z
  .strictObject({
    codes: z
      .array(z.string().max(64))
      .min(1)
      .max(MOST_AT_ONCE)
      .meta({
        description: 'The codes to revoke, with or without hyphens and in any case.',
        examples: [['K7QM-2F8X-9RTA']],
      }),
  })
  .meta({ id: 'CodesRevoke', description: 'Codes to revoke.' })

export const revokedCodes = z
  .object({
    revoked: count.meta({ description: 'How many of them were valid until now.', examples: [1] }),
    unknown: count.meta({
      description: 'How many of them are no codes of the list. One that was revoked before counts in neither number.',
      examples: [0],
    }),
  })
  .meta({ id: 'RevokedCodes', description: 'What a revocation changed.' })

export const presentCodeList = (row: CodeListRow): z.infer<typeof codeList> => ({
  codeListId: row.id,
  name: row.name,
  issued: row.issued,
  used: row.used,
  revoked: row.revoked,
  polls: row.polls,
  createdAt: iso(row.created_at),
  updatedAt: iso(row.updated_at),
})

/** Only the name can be set, so votes and new codes fail no PATCH. */
export const codeListVersion = ({ name }: Pick<z.infer<typeof codeList>, 'name'>): Version => name

export const codeListTag = (shown: z.infer<typeof codeList>): string => versionedTag(codeListVersion(shown), shown)

export const codeListSubject = ({ id, name }: Pick<CodeListRow, 'id' | 'name'>): ActivitySubject => ({
  kind: 'code_list',
  id,
  title: name,
})
