import { z } from 'zod'
import { iso, isoOrNull } from '../../../base/clock.ts'
import { idOf, nameText, timestamp, uuid } from '../../../base/fields.ts'

const CHALLENGE = 'p6mC2v3yQ0n1Xk8ZbW5tRA'

/** Accepts any fields: only the library that verifies the browser's formats knows all of them. */
const browserObject = (description: string, example: Record<string, unknown>) =>
  z.record(z.string(), z.unknown()).meta({ description, examples: [example] })

export const creationOptions = browserObject(
  'What `PublicKeyCredential.parseCreationOptionsFromJSON` takes. It ends after five minutes.',
  { rp: { name: 'Tossup', id: 'polls.example.com' }, challenge: CHALLENGE },
)

export const requestOptions = browserObject(
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

export const passkeyBody = z
  .strictObject({
    credential,
    name: name.optional().meta({ ...aboutName, description: 'A name to tell it from others. Default: `Passkey`.' }),
  })
  .meta({ id: 'PasskeyCreate', description: 'A new passkey.' })

export const passkeyUpdateBody = z
  .strictObject({ name: name.meta(aboutName) })
  .meta({ id: 'PasskeyUpdate', description: 'The new name.' })

export const passkeySignInBody = z
  .strictObject({ credential })
  .meta({ id: 'PasskeySignIn', description: 'The answer of a passkey to a challenge.' })

export const passkeyParams = z.object({ id: idOf('passkey').toLowerCase().describe('The id of the passkey.') })

const shown = {
  id: uuid.describe('The id of the passkey.'),
  name: z.string().meta(aboutName),
  createdAt: timestamp.describe('When it was registered.'),
}

export const newPasskey = z.object(shown).meta({ id: 'NewPasskey', description: 'A passkey that was just registered.' })

export const passkey = z
  .object({ ...shown, lastUsedAt: timestamp.nullable().describe('When it last signed in, or null.') })
  .meta({ id: 'Passkey', description: 'A passkey of the person who is signed in.' })

interface PasskeyRow {
  readonly id: string
  readonly name: string
  readonly created_at: number
  readonly last_used_at: number | null
}

export const presentNewPasskey = (row: Omit<PasskeyRow, 'last_used_at'>): z.infer<typeof newPasskey> => ({
  id: row.id,
  name: row.name,
  createdAt: iso(row.created_at),
})

export const presentPasskey = (row: PasskeyRow): z.infer<typeof passkey> => ({
  ...presentNewPasskey(row),
  lastUsedAt: isoOrNull(row.last_used_at),
})
