import type { Bytes } from '../../base/secrets.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import type { Deps } from '../deps.ts'
import type { Device } from '../people/tokens/device.ts'
import { deviceText, type Voter } from '../people/tokens/guards.ts'
import { codeHash, codeVoter } from './code.ts'

const NAME = 'x-vote-code'

export const CODE_HEADER = {
  'X-Vote-Code':
    "The voter's code, where the `admission` of the poll is `code`: in any case, with or without hyphens and spaces. Ignored where it is `open`.",
}

type Keys = Pick<Deps, 'keys'>

export const hasCode = (incoming: Incoming): boolean => codeIn(incoming) !== null

/** An empty header is none. */
function codeIn(incoming: Incoming): string | null {
  const typed = header(incoming, NAME)
  return typed === null || typed.trim() === '' ? null : typed
}

/** The hash of the code of a request; null if it has none. */
export function codeOf(deps: Keys, incoming: Incoming): Bytes | null {
  const typed = codeIn(incoming)
  return typed === null ? null : codeHash(deps, typed)
}

/** The voter of code and device together; of the device alone if the request has no code. */
export function voterByCode(deps: Keys, { incoming, identity }: { incoming: Incoming; identity: Voter }): Device {
  const typed = codeIn(incoming)
  return typed === null ? identity.device : codeVoter(deps, typed, deviceText(incoming, identity))
}
