import { Alert, Button, Group, Paper, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useRef, useState } from 'react'
import { etagOf, isTossupError, type OwnedPoll } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { DraftForm, FormFailure } from '../../parts/forms/draft-form.tsx'
import { useDraft } from '../../parts/forms/use-draft.ts'
import { lazyPart } from '../../parts/lazy-part.ts'
import { fieldErrorsOf, messageOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import '../../parts/polls/add-preview-styles.ts'
import type { Uploads } from '../../parts/pictures/picked-picture.ts'
import { isSignedOut } from '../../service.ts'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { filled, words } from '../../words/words.ts'
import { changedWords } from './changed-words.ts'
import { draftOf, NEW_DRAFT, type PollDraft, problemsOf } from './poll-draft.ts'
import { PollFields } from './poll-fields.tsx'
import { RevisionNote, RevisionQuestion } from './revision.tsx'
import { type Slot, savePoll } from './save-poll.ts'

/** The fields are there first: the preview brings what renders a poll. */
const Preview = lazyPart(async () => (await import('./preview.tsx')).Preview)

const NO_UPLOADS: Uploads<Slot> = {}

interface FormProps {
  /** Null for a new poll. */
  readonly poll: OwnedPoll | null
  /** The draft that a new poll begins with. */
  readonly first?: PollDraft
}

/** Makes a poll, or changes one. */
export function PollForm({ poll, first = NEW_DRAFT }: FormProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { edit } = words()
  const its = formWords().poll
  const { draft, problems, isChanged, change, isComplete } = useDraft(() => (poll ? draftOf(poll) : first), problemsOf)
  const [uploads, setUploads] = useState(NO_UPLOADS)
  /** The save that waits for an answer about its words. */
  const [asked, setAsked] = useState<{ readonly isDraft: boolean } | null>(null)
  // The stored poll: after a failed upload the poll exists already, and the next attempt changes it.
  const stored = useRef(poll)
  const etag = useRef(poll ? etagOf(poll) : undefined)

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
      if (!isPublished) toast(its.saved)
      client.setQueryData(['brand', slug, 'poll', saved.shortId], saved)
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      const params = { brand: slug, poll: saved.shortId }
      await navigate({ to: '/$brand/polls/$poll', params, state: { isPublished } as never })
    },
    onError: focusFirstProblem,
    onSettled: () => setUploads(NO_UPLOADS),
  })

  const changed = changedWords(draft, poll)

  function save(isDraft: boolean): void {
    saving.reset()
    if (!isComplete()) return
    if (changed.some((text) => text.isMoreThanSpelling)) setAsked({ isDraft })
    else saving.mutate(isDraft)
  }

  const errors = { ...problems, ...fieldErrorsOf(saving.error) }
  const hasVotes = poll !== null && poll.tallies.total > 0
  const wasPublished = poll !== null && !poll.isDraft
  return (
    <DraftForm isChanged={isChanged} onSave={() => save(false)}>
      <div className="form-and-preview">
        <Stack gap="md">
          {hasVotes && <RevisionNote changed={changed} />}
          <PollFields
            draft={draft}
            errors={errors}
            uploads={uploads}
            isNew={stored.current === null}
            hasVotes={hasVotes}
            change={change}
          />
          <Failure error={saving.error} isStored={poll === null && stored.current !== null} />
          <Group className="form-end">
            <Button type="submit" size="md" loading={saving.isPending && saving.variables === false}>
              {wasPublished ? edit.saveChanges : its.publish}
            </Button>
            {!wasPublished && (
              <Button
                variant="default"
                size="md"
                loading={saving.isPending && saving.variables === true}
                onClick={() => save(true)}
              >
                {its.saveDraft}
              </Button>
            )}
          </Group>
        </Stack>
        <Suspense fallback={<Paper withBorder className="preview" />}>
          <Preview draft={draft} />
        </Suspense>
      </div>
      <RevisionQuestion
        changed={changed}
        isOpen={asked !== null}
        onConfirm={() => {
          if (asked) saving.mutate(asked.isDraft)
          setAsked(null)
        }}
        onClose={() => setAsked(null)}
      />
    </DraftForm>
  )
}

function Failure({ error, isStored }: { readonly error: unknown; readonly isStored: boolean }) {
  const its = formWords().poll
  if (!error || !isStored || isSignedOut(error) || isTossupError(error, 'PRECONDITION_FAILED'))
    return <FormFailure error={error} changed={its.changed} />
  return <Alert color="red">{filled(its.partly, { message: messageOf(error) })}</Alert>
}
