// features/people/passkeys: signing in with a key that the browser keeps.
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { iso, isoOrNull } from '../../../base/clock.ts'
import { invalidPasskey, notFound, orNotFound } from '../../../base/errors.ts'
import { idOf, nameText, timestamp, uuid } from '../../../base/fields.ts'
import type { Tables } from '../../../db/tables.ts'
import { transaction } from '../../../db/transaction.ts'
import { header } from '../../../http/incoming.ts'
import { type Route, route } from '../../../http/route.ts'
import type { Deps } from '../../deps.ts'
import { countedFailure, MAY_PROLONG, signedInAnswer, signedInBy } from '../sessions/session-routes.ts'
import { ownPage, sessionOf, signedIn } from '../sessions/sessions.ts'
import {
  passkeysPage,
  registerPasskey,
  registrationOptions,
  relyingParty,
  removePasskey,
  renamePasskey,
  signInOptions,
  signInWithPasskey,
} from './passkeys.ts'

const CHALLENGE = 'p6mC2v3yQ0n1Xk8ZbW5tRA'

/** Accepts any fields: only the library that verifies the browser's formats knows all of them. */
const browserObject = (description: string, example: Record<string, unknown>) =>
  z.record(z.string(), z.unknown()).meta({ description, examples: [example] })

const creationOptions = browserObject(
  'What `PublicKeyCredential.parseCreationOptionsFromJSON` takes. It ends after five minutes.',
  { rp: { name: 'Tossup', id: 'polls.example.com' }, challenge: CHALLENGE },
)

const requestOptions = browserObject(
  'What `PublicKeyCredential.parseRequestOptionsFromJSON` takes. It ends after five minutes.',
  { rpId: 'polls.example.com', challenge: CHALLENGE, userVerification: 'required' },
)

const credential = browserObject('The credential of the browser, as its `toJSON()` gives it.', {
  id: 'AQIDBAUGBwg',
  rawId: 'AQIDBAUGBwg',
  type: 'public-key',
  response: {},
})

const name = nameText(1, 80)
const aboutName = { description: 'A name to tell it from others.', examples: ['My phone'] }

const passkeyBody = z
  .strictObject({
    credential,
    name: name.optional().meta({ ...aboutName, description: 'A name to tell it from others. Default: `Passkey`.' }),
  })
  .meta({ id: 'PasskeyCreate', description: 'A new passkey.' })

const passkeyUpdateBody = z
  .strictObject({ name: name.meta(aboutName) })
  .meta({ id: 'PasskeyUpdate', description: 'The new name.' })

const passkeySignInBody = z
  .strictObject({ credential })
  .meta({ id: 'PasskeySignIn', description: 'The answer of a passkey to a challenge.' })

const passkeyParams = z.object({ id: idOf('passkey').toLowerCase().describe('The id of the passkey.') })

const shown = {
  id: uuid.describe('The id of the passkey.'),
  name: z.string().meta(aboutName),
  createdAt: timestamp.describe('When it was registered.'),
}

const newPasskey = z.object(shown).meta({ id: 'NewPasskey', description: 'A passkey that was just registered.' })

const passkey = z
  .object({ ...shown, lastUsedAt: timestamp.nullable().describe('When it last signed in, or null.') })
  .meta({ id: 'Passkey', description: 'A passkey of the person who is signed in.' })

type PasskeyRow = Pick<Selectable<Tables['passkeys']>, 'id' | 'name' | 'created_at' | 'last_used_at'>

const presentNewPasskey = (row: Omit<PasskeyRow, 'last_used_at'>): z.infer<typeof newPasskey> => ({
  id: row.id,
  name: row.name,
  createdAt: iso(row.created_at),
})

const presentPasskey = (row: PasskeyRow): z.infer<typeof passkey> => ({
  ...presentNewPasskey(row),
  lastUsedAt: isoOrNull(row.last_used_at),
})

export function passkeyRoutes(deps: Deps): Route[] {
  const { engine, config } = deps
  const common = { tag: 'People', guard: signedIn(deps), caching: 'none' } as const
  const guardOfPages = ownPage(deps)

  return [
    route({
      method: 'POST',
      path: '/auth/passkeys/challenge',
      name: 'challengePasskey',
      tag: 'People',
      summary: 'Begin to sign in with a passkey',
      description: 'The answer is the same for everybody: the browser offers the passkeys that it has.',
      guard: guardOfPages,
      caching: 'none',
      answers: { 200: { description: 'The options for the browser.', schema: requestOptions } },
      handle: async ({ incoming }) => ({ data: await signInOptions(deps, relyingParty(config, incoming)) }),
    }),

    route({
      method: 'POST',
      path: '/auth/passkeys/session',
      name: 'signInWithPasskey',
      tag: 'People',
      summary: 'Sign in with a passkey',
      description:
        'Sets the cookie of a new session; a session that the request already has ends. A challenge can be answered once. After ten failures in a minute from one network, further ones are 429.',
      guard: guardOfPages,
      caching: 'none',
      body: passkeySignInBody,
      answers: { 200: { description: 'Signed in.', headers: { always: ['Set-Cookie'] }, schema: signedInAnswer } },
      errors: ['INVALID_PASSKEY', 'RATE_LIMITED'],
      async handle({ incoming, body: { credential } }) {
        const current = await sessionOf(deps, incoming)
        const party = relyingParty(config, incoming)
        const userAgent = header(incoming, 'user-agent')
        const secret = await signInWithPasskey(deps, { party, credential, current, userAgent }).catch((error) =>
          countedFailure(deps, incoming, error),
        )
        return signedInBy(deps, incoming, { secret, ended: invalidPasskey })
      },
    }),

    route({
      method: 'POST',
      path: '/auth/passkeys/options',
      name: 'beginPasskey',
      ...common,
      summary: 'Begin to register a passkey',
      description: 'For the person who is signed in.',
      answers: { 200: { description: 'The options for the browser.', headers: MAY_PROLONG, schema: creationOptions } },
      handle: async ({ identity, incoming }) => ({
        data: await registrationOptions(deps, identity, relyingParty(config, incoming)),
      }),
    }),

    route({
      method: 'POST',
      path: '/auth/passkeys',
      name: 'createPasskey',
      ...common,
      summary: 'Register a passkey',
      description: 'The challenge must be of this session. A person has at most 20 passkeys.',
      body: passkeyBody,
      answers: { 201: { description: 'Registered.', headers: MAY_PROLONG, schema: newPasskey } },
      errors: ['INVALID_PASSKEY', 'RATE_LIMITED'],
      async handle({ identity: session, incoming, body: { credential, name = 'Passkey' } }) {
        const party = relyingParty(config, incoming)
        const row = await registerPasskey(deps, { session, party, credential, name }).catch((error) =>
          countedFailure(deps, incoming, error),
        )
        return { status: 201, data: presentNewPasskey(row) }
      },
    }),

    route({
      method: 'GET',
      path: '/auth/passkeys',
      name: 'listPasskeys',
      ...common,
      summary: 'Your passkeys, newest first',
      description: 'Those of the person who is signed in.',
      isPaged: true,
      answers: { 200: { description: 'A page of passkeys.', headers: MAY_PROLONG, schema: z.array(passkey) } },
      async handle({ identity, paging }) {
        const { rows, next } = await passkeysPage(engine.db, identity.personKey, paging)
        return { data: rows.map(presentPasskey), next }
      },
    }),

    route({
      method: 'PATCH',
      path: '/auth/passkeys/{id}',
      name: 'updatePasskey',
      ...common,
      summary: 'Rename a passkey',
      description: 'The name is only for its owner.',
      params: passkeyParams,
      body: passkeyUpdateBody,
      answers: { 200: { description: 'The passkey after the change.', headers: MAY_PROLONG, schema: passkey } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { personKey }, params: { id }, body: { name } }) {
        const row = orNotFound(await transaction(engine, (tx) => renamePasskey(tx, { personKey, id, name })))
        return { data: presentPasskey(row) }
      },
    }),

    route({
      method: 'DELETE',
      path: '/auth/passkeys/{id}',
      name: 'deletePasskey',
      ...common,
      summary: 'Remove a passkey',
      description: 'It signs in no more. Sessions that it began go on.',
      params: passkeyParams,
      answers: { 204: { description: 'Removed.', headers: MAY_PROLONG } },
      errors: ['NOT_FOUND'],
      async handle({ identity: { personKey }, params: { id } }) {
        if (!(await transaction(engine, (tx) => removePasskey(tx, { personKey, id })))) throw notFound()
        return { status: 204 }
      },
    }),
  ]
}
