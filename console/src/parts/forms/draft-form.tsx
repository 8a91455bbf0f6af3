import { Alert } from '@mantine/core'
import type { ReactNode, RefObject } from 'react'
import { isTossupError } from '../../../../sdk/src/index.ts'
import { isSignedOut } from '../../service.ts'
import { fieldErrorsOf, messageOf } from '../messages/messages.ts'
import { UnsavedGuard } from '../unsaved-guard.tsx'

interface DraftFormProps {
  readonly isChanged: RefObject<boolean>
  readonly onSave: () => void
  readonly children: ReactNode
}

/** A form that shows its problems itself, and asks before unsaved changes are lost. */
export const DraftForm = ({ isChanged, onSave, children }: DraftFormProps) => (
  <form
    noValidate
    onSubmit={(event) => {
      event.preventDefault()
      onSave()
    }}
  >
    <UnsavedGuard isChanged={() => isChanged.current} />
    {children}
  </form>
)

interface FailureProps {
  readonly error: unknown
  /** The text for somebody whose item was changed by others meanwhile. */
  readonly changed: string
  /** The fields that show their problems themselves. Default: all. */
  readonly fields?: readonly string[]
}

/** A refusal that no field shows. */
export function FormFailure({ error, changed, fields }: FailureProps) {
  if (!error || isSignedOut(error)) return null
  const isChanged = isTossupError(error, 'PRECONDITION_FAILED')
  if (!isChanged && Object.keys(fieldErrorsOf(error)).some((path) => fields?.includes(path) ?? true)) return null
  return (
    <Alert color="red" role="alert">
      {isChanged ? changed : messageOf(error)}
    </Alert>
  )
}
