import { Alert } from '@mantine/core'
import { codesWords } from '../../words/codes-words.ts'
import { filled } from '../../words/words.ts'
import type { CodePlace } from './use-code-lists.ts'

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/

/** Printed slips with a loopback address lead nowhere on a voter's phone. */
export function OnlyHere({ place }: { readonly place: CodePlace | null | undefined }) {
  if (!place) return null
  const { host, hostname } = new URL(place.shareUrl)
  return LOOPBACK.test(hostname) ? (
    <Alert color="yellow" role="note">
      {filled(codesWords().onlyHere, { host })}
    </Alert>
  ) : null
}
