import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { etagOf, type OwnTheme } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { DraftForm, FormFailure } from '../../parts/forms/draft-form.tsx'
import { useDraft } from '../../parts/forms/use-draft.ts'
import { fieldErrorsOf, placedProblemsOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import '../../parts/polls/add-preview-styles.ts'
import type { Uploads } from '../../parts/pictures/picked-picture.ts'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { saveTheme } from './save-theme.ts'
import { ALL_DEFAULTS, type AssetName, draftOf, problemsOf, shownTheme } from './theme-draft.ts'
import { ThemeFields } from './theme-fields.tsx'
import { ThemePreview } from './theme-preview.tsx'

const NO_UPLOADS: Uploads<AssetName> = {}

export function ThemeForm({ theme }: { readonly theme: OwnTheme }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { look } = formWords()
  const [stored, setStored] = useState(theme)
  const { draft, problems, isChanged, change, restart, isComplete } = useDraft(() => draftOf(theme), problemsOf)
  const [isResetting, setIsResetting] = useState(false)
  const [uploads, setUploads] = useState(NO_UPLOADS)

  function onStored(now: OwnTheme, said: string): void {
    setStored(now)
    restart(draftOf(now))
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
      onStored(now, look.resetDone)
    },
    onSettled: () => setIsResetting(false),
  })

  function save(): void {
    saving.reset()
    if (isComplete()) saving.mutate()
  }

  const errors = { ...fieldErrorsOf(saving.error), ...problems }
  return (
    <DraftForm isChanged={isChanged} onSave={save}>
      <div className="form-and-preview wide">
        <Stack gap="md">
          <ThemeFields
            draft={draft}
            errors={errors}
            refusals={placedProblemsOf(saving.error)}
            uploads={uploads}
            change={change}
          />
          <FormFailure error={saving.error ?? resetting.error} changed={look.changed} />
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
    </DraftForm>
  )
}
