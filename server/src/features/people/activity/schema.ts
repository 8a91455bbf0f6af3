import { z } from 'zod'
import { timestamp, uuid } from '../../../base/fields.ts'
import { ACTION_NAMES } from '../../../events/action-catalogue.ts'
import { ACTOR_KINDS, SUBJECT_KINDS } from '../../../events/activity.ts'

const action = z.enum(ACTION_NAMES)
const SUBJECT_ID = '0b9f7a52-6f0c-4c43-9d0e-3f1f0a8d7c11'

/** Compared with stored ids, which are in lower case. */
const idParam = z.string().min(1).max(64).toLowerCase().optional()

export const activityQuery = z.object({
  actor: idParam.meta({
    description: 'Only actions of this member or app, by its id, or of the `operator`.',
    examples: ['operator'],
  }),
  action: action.optional().describe('Only this action.'),
  subject: idParam.meta({ description: 'Only actions on the resource with this id.', examples: [SUBJECT_ID] }),
})

const actor = z
  .object({
    kind: z.enum(ACTOR_KINDS).meta({
      description: '`member`: a person; `app`: a program with an API key; `operator`: a command on the server.',
      examples: ['app'],
    }),
    id: z
      .string()
      .meta({ description: 'The id of the member or app; `operator` for the operator.', examples: [SUBJECT_ID] }),
    name: z
      .string()
      .nullable()
      .meta({
        description: 'Its name at that time; null for the operator and for an app without a name.',
        examples: ['Website'],
      }),
  })
  .meta({ id: 'Actor', description: 'The person, app or operator that made the change.' })

const subject = z
  .object({
    kind: z.enum(SUBJECT_KINDS).meta({ description: 'The kind of the resource.', examples: ['poll'] }),
    id: z.string().meta({ description: 'The id of the resource.', examples: [SUBJECT_ID] }),
    title: z.string().meta({
      description: 'Its title or name at that time; for a webhook the host of its URL.',
      examples: ['Tea or coffee?'],
    }),
  })
  .meta({ id: 'Subject', description: 'The resource that was changed. It may have been deleted since.' })

export const activityEntry = z
  .object({
    id: uuid.describe('The permanent id of the entry.'),
    at: timestamp.describe('When it happened.'),
    actor: actor.describe('Who acted.'),
    action: action.meta({ description: 'What happened.', examples: ['poll.updated'] }),
    subject: subject.describe('What was changed.'),
  })
  .meta({ id: 'ActivityEntry', description: 'One change of a brand or of its resources.' })

export type ActivityEntry = z.infer<typeof activityEntry>
