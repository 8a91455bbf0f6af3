import { Anchor, Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type BrandProfile, etagOf } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { DraftForm, FormFailure } from '../../parts/forms/draft-form.tsx'
import { useDraft } from '../../parts/forms/use-draft.ts'
import { type FieldErrors, fieldErrorsOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import '../../parts/polls/add-preview-styles.ts'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { words } from '../../words/words.ts'
import { ThemePreview } from '../theme/theme-preview.tsx'
import { AvatarField } from './avatar-field.tsx'
import { draftOf, type ProfileDraft, saveProfile, shownProfile } from './profile-draft.ts'

type TextField = 'name' | 'displayName' | 'locationCity' | 'locationState'

const problemsOf = ({ name }: ProfileDraft): FieldErrors => (name.trim() === '' ? { name: words().edit.required } : {})

export function ProfileForm({ profile }: { readonly profile: BrandProfile }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { brand: its } = formWords()
  const [stored, setStored] = useState(profile)
  const { draft, problems, isChanged, change, restart, isComplete } = useDraft(() => draftOf(profile), problemsOf)
  const [sent, setSent] = useState<number>()
  const theme = useQuery({
    queryKey: ['brand', slug, 'theme', 'own'],
    queryFn: ({ signal }) => tossup.getOwnTheme({ signal }),
  })
  const saving = useMutation({
    mutationFn: () => saveProfile({ tossup, draft, etag: etagOf(stored), onProgress: setSent }),
    onSuccess(now) {
      setStored(now)
      restart(draftOf(now))
      toast(its.saved)
      // The navigation shows the name.
      void client.invalidateQueries({ queryKey: ['session'] })
      void client.invalidateQueries({ queryKey: ['brand', slug, 'own'] })
    },
    onError: focusFirstProblem,
    onSettled: () => setSent(undefined),
  })
  const save = () => {
    saving.reset()
    if (isComplete()) saving.mutate()
  }
  const errors = { ...fieldErrorsOf(saving.error), ...problems }
  const field = (name: TextField) => ({
    value: draft[name],
    error: errors[name],
    maxLength: 80,
    dir: 'auto',
    onChange: ({ currentTarget: { value } }: React.ChangeEvent<HTMLInputElement>) => change({ [name]: value }),
  })
  return (
    <DraftForm isChanged={isChanged} onSave={save}>
      <div className="form-and-preview">
        <Stack gap="md">
          <TextInput label={its.name} description={its.nameText} required {...field('name')} />
          <TextInput label={its.displayName} description={its.displayNameText} {...field('displayName')} />
          <Textarea
            label={its.description}
            description={its.descriptionText}
            rows={3}
            maxLength={500}
            dir="auto"
            value={draft.description}
            error={errors['description']}
            onChange={(event) => change({ description: event.currentTarget.value })}
          />
          <AvatarField
            avatar={draft.avatar}
            error={errors['avatarUrl'] ?? errors['byteSize']}
            sent={sent}
            onChange={(avatar) => change({ avatar })}
          />
          <Group grow align="flex-start">
            <TextInput label={its.city} {...field('locationCity')} />
            <TextInput label={its.state} {...field('locationState')} />
          </Group>
          <FormFailure error={saving.error} changed={its.changed} />
          <Group>
            <Button type="submit" size="md" loading={saving.isPending}>
              {its.save}
            </Button>
            <Anchor href={`/b/${slug}`} target="_blank" underline="always">
              {words().poll.view}
            </Anchor>
          </Group>
        </Stack>
        {theme.data && <ThemePreview theme={theme.data} profile={shownProfile(draft, stored)} />}
      </div>
    </DraftForm>
  )
}
