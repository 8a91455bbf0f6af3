import { Alert, Button, Group, Paper, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useCallback, useRef, useState } from 'react'
import { etagOf, isTossupError, type OwnedPoll } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { lazyPart } from '../../parts/lazy-part.ts'
import { fieldErrorsOf, messageOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import type { Uploads } from '../../parts/pictures/picked-picture.ts'
import { UnsavedGuard } from '../../parts/unsaved-guard.tsx'
import { isSignedOut } from '../../service.ts'
import { useBrand } from '../../session/brand.ts'
import { filled, words } from '../../words/words.ts'
import { copyOf, draftOf, type FieldErrors, NEW_DRAFT, type PollDraft, problemsOf } from './poll-draft.ts'
import { PollFields } from './poll-fields.tsx'
import { type Slot, savePoll } from './save-poll.ts'

/** The fields are there first: the preview brings what renders a poll. */
const Preview = lazyPart(async () => (await import('./preview.tsx')).Preview)

const NO_ERRORS: FieldErrors = {}
const NO_UPLOADS: Uploads<Slot> = {}

interface FormProps {
  /** Null for a new poll. */
  readonly poll: OwnedPoll | null
  /** The poll that a new poll starts as a copy of. */
  readonly copied?: OwnedPoll | null
}

function firstDraft({ poll, copied }: FormProps): PollDraft {
  if (poll) return draftOf(poll)
  return copied ? copyOf(copied) : NEW_DRAFT
}

/** Makes a poll, or changes one. */
export function PollForm({ poll, copied = null }: FormProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { edit } = words()
  const [draft, setDraft] = useState<PollDraft>(() => firstDraft({ poll, copied }))
  const [problems, setProblems] = useState(NO_ERRORS)
  const [uploads, setUploads] = useState(NO_UPLOADS)
  // The stored poll: after a failed upload the poll exists already, and the next attempt changes it.
  const stored = useRef(poll)
  const etag = useRef(poll ? etagOf(poll) : undefined)
  const isChanged = useRef(false)

  const change = useCallback((changed: Partial<PollDraft>) => {
    isChanged.current = true
    setDraft((before) => ({ ...before, ...changed }))
  }, [])

  const saving = useMutation({
    mutationFn: (isDraft: boolean) =>
      savePoll({
        tossup,
        draft,
        before: stored.current,
        isDraft,
        etag: etag.current,
        onStored(now) {
          stored.current = now
          etag.current = etagOf(now)
        },
        onProgress: (slot, share) => setUploads((before) => ({ ...before, [slot]: share })),
      }),
    async onSuccess(saved) {
      isChanged.current = false
      const isPublished = !saved.isDraft && (poll === null || poll.isDraft)
      toast(isPublished ? edit.published : edit.saved)
      client.setQueryData(['brand', slug, 'poll', saved.shortId], saved)
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      await navigate({ to: '/$brand/polls/$poll', params: { brand: slug, poll: saved.shortId } })
    },
    onError: focusFirstProblem,
    onSettled: () => setUploads(NO_UPLOADS),
  })

  function save(isDraft: boolean): void {
    const found = problemsOf(draft)
    setProblems(found)
    saving.reset()
    if (Object.keys(found).length > 0) focusFirstProblem()
    else saving.mutate(isDraft)
  }

  const errors = { ...problems, ...fieldErrorsOf(saving.error) }
  const wasPublished = poll !== null && !poll.isDraft
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save(false)
      }}
    >
      <UnsavedGuard isChanged={() => isChanged.current} />
      <div className="form-and-preview">
        <Stack gap="md">
          {poll && poll.tallies.total > 0 && <Alert color="yellow">{edit.revised}</Alert>}
          <PollFields draft={draft} errors={errors} uploads={uploads} isNew={stored.current === null} change={change} />
          <Failure error={saving.error} isStored={poll === null && stored.current !== null} />
          <Group className="form-end">
            <Button type="submit" size="md" loading={saving.isPending && saving.variables === false}>
              {wasPublished ? edit.saveChanges : edit.publish}
            </Button>
            {!wasPublished && (
              <Button
                variant="default"
                size="md"
                loading={saving.isPending && saving.variables === true}
                onClick={() => save(true)}
              >
                {edit.saveDraft}
              </Button>
            )}
          </Group>
        </Stack>
        <Suspense fallback={<Paper withBorder className="preview" />}>
          <Preview draft={draft} />
        </Suspense>
      </div>
    </form>
  )
}

/** A refusal that no field shows. */
function Failure({ error, isStored }: { readonly error: unknown; readonly isStored: boolean }) {
  const { edit } = words()
  if (!error || isSignedOut(error)) return null
  if (isTossupError(error, 'PRECONDITION_FAILED')) return <Alert color="red">{edit.changed}</Alert>
  if (isStored) return <Alert color="red">{filled(edit.partly, { message: messageOf(error) })}</Alert>
  if (Object.keys(fieldErrorsOf(error)).length > 0) return null
  return (
    <Alert color="red" role="alert">
      {messageOf(error)}
    </Alert>
  )
}
