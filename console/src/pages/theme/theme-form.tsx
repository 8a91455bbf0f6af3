import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { etagOf, isTossupError, type OwnTheme } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { fieldErrorsOf, messageOf, placedProblemsOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import '../../parts/polls/add-preview-styles.ts'
import type { Uploads } from '../../parts/pictures/picked-picture.ts'
import { UnsavedGuard } from '../../parts/unsaved-guard.tsx'
import { isSignedOut } from '../../service.ts'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { saveTheme } from './save-theme.ts'
import {
  ALL_DEFAULTS,
  type AssetName,
  draftOf,
  type FieldErrors,
  problemsOf,
  shownTheme,
  type ThemeDraft,
} from './theme-draft.ts'
import { ThemeFields } from './theme-fields.tsx'
import { ThemePreview } from './theme-preview.tsx'

const NO_ERRORS: FieldErrors = {}
const NO_UPLOADS: Uploads<AssetName> = {}

export function ThemeForm({ theme }: { readonly theme: OwnTheme }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { look } = formWords()
  const [stored, setStored] = useState(theme)
  const [draft, setDraft] = useState(() => draftOf(theme))
  const [problems, setProblems] = useState(NO_ERRORS)
  const [isResetting, setIsResetting] = useState(false)
  const [uploads, setUploads] = useState(NO_UPLOADS)
  const isChanged = useRef(false)

  const change = useCallback((changed: Partial<ThemeDraft>) => {
    isChanged.current = true
    setDraft((before) => ({ ...before, ...changed }))
  }, [])

  function onStored(now: OwnTheme, said: string): void {
    isChanged.current = false
    setStored(now)
    setDraft(draftOf(now))
    toast(said)
    // The preview of a poll shows the theme too.
    void client.invalidateQueries({ queryKey: ['brand', slug, 'preview'] })
  }

  const saving = useMutation({
    mutationFn: () =>
      saveTheme({
        tossup,
        draft,
        before: stored,
        etag: etagOf(stored),
        onProgress: (name, share) => setUploads((before) => ({ ...before, [name]: share })),
      }),
    onSuccess: (now) => onStored(now, look.saved),
    onError: focusFirstProblem,
    onSettled: () => setUploads(NO_UPLOADS),
  })
  const resetting = useMutation({
    mutationFn: () => tossup.updateTheme(ALL_DEFAULTS),
    onSuccess(now) {
      saving.reset()
      setProblems(NO_ERRORS)
      onStored(now, look.resetDone)
    },
    onSettled: () => setIsResetting(false),
  })

  function save(): void {
    const found = problemsOf(draft)
    setProblems(found)
    saving.reset()
    if (Object.keys(found).length > 0) focusFirstProblem()
    else saving.mutate()
  }

  const errors = { ...fieldErrorsOf(saving.error), ...problems }
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <UnsavedGuard isChanged={() => isChanged.current} />
      <div className="form-and-preview wide">
        <Stack gap="md">
          <ThemeFields
            draft={draft}
            errors={errors}
            refusals={placedProblemsOf(saving.error)}
            uploads={uploads}
            change={change}
          />
          <Failure error={saving.error ?? resetting.error} />
          <Group>
            <Button type="submit" size="md" loading={saving.isPending}>
              {look.save}
            </Button>
            <Button variant="default" size="md" onClick={() => setIsResetting(true)}>
              {look.reset}
            </Button>
          </Group>
        </Stack>
        <ThemePreview draft={draft} theme={shownTheme(draft, stored)} />
      </div>
      <Confirm
        isOpen={isResetting}
        text={look.resetText}
        action={look.reset}
        isPending={resetting.isPending}
        onConfirm={() => resetting.mutate()}
        onClose={() => setIsResetting(false)}
      />
    </form>
  )
}

/** A refusal that no field shows. */
function Failure({ error }: { readonly error: unknown }) {
  if (!error || isSignedOut(error)) return null
  if (isTossupError(error, 'PRECONDITION_FAILED')) return <Alert color="red">{formWords().look.changed}</Alert>
  if (Object.keys(fieldErrorsOf(error)).length > 0) return null
  return (
    <Alert color="red" role="alert">
      {messageOf(error)}
    </Alert>
  )
}
