import { Alert, Anchor, Button, Group, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type BrandProfile, etagOf, isTossupError } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { fieldErrorsOf, messageOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import '../../parts/polls/add-preview-styles.ts'
import { UnsavedGuard } from '../../parts/unsaved-guard.tsx'
import { isSignedOut } from '../../service.ts'
import { useBrand } from '../../session/brand.ts'
import { formWords } from '../../words/form-words.ts'
import { words } from '../../words/words.ts'
import { ThemePreview } from '../theme/theme-preview.tsx'
import { AvatarField } from './avatar-field.tsx'
import { draftOf, type ProfileDraft, saveProfile, shownProfile } from './profile-draft.ts'

type TextField = 'name' | 'displayName' | 'locationCity' | 'locationState'

export function ProfileForm({ profile }: { readonly profile: BrandProfile }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const { brand: its } = formWords()
  const [stored, setStored] = useState(profile)
  const [draft, setDraft] = useState(() => draftOf(profile))
  const [isMissing, setIsMissing] = useState(false)
  const [sent, setSent] = useState<number>()
  const isChanged = useRef(false)
  const theme = useQuery({
    queryKey: ['brand', slug, 'theme', 'own'],
    queryFn: ({ signal }) => tossup.getOwnTheme({ signal }),
  })
  const change = (changed: Partial<ProfileDraft>) => {
    isChanged.current = true
    setDraft((before) => ({ ...before, ...changed }))
  }
  const saving = useMutation({
    mutationFn: () => saveProfile({ tossup, draft, etag: etagOf(stored), onProgress: setSent }),
    onSuccess(now) {
      isChanged.current = false
      setStored(now)
      setDraft(draftOf(now))
      toast(its.saved)
      // The navigation shows the name.
      void client.invalidateQueries({ queryKey: ['session'] })
      void client.invalidateQueries({ queryKey: ['brand', slug, 'own'] })
    },
    onError: focusFirstProblem,
    onSettled: () => setSent(undefined),
  })
  const errors: Readonly<Record<string, string>> = {
    ...fieldErrorsOf(saving.error),
    ...(isMissing ? { name: words().edit.required } : {}),
  }
  const field = (name: TextField) => ({
    value: draft[name],
    error: errors[name],
    maxLength: 80,
    dir: 'auto',
    onChange: ({ currentTarget: { value } }: React.ChangeEvent<HTMLInputElement>) => change({ [name]: value }),
  })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const isNameless = draft.name.trim() === ''
        setIsMissing(isNameless)
        saving.reset()
        if (isNameless) focusFirstProblem()
        else saving.mutate()
      }}
    >
      <UnsavedGuard isChanged={() => isChanged.current} />
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
          <Failure error={saving.error} />
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
    </form>
  )
}

/** A refusal that no field shows. */
function Failure({ error }: { readonly error: unknown }) {
  if (!error || isSignedOut(error)) return null
  const isOld = isTossupError(error, 'PRECONDITION_FAILED')
  if (!isOld && Object.keys(fieldErrorsOf(error)).length > 0) return null
  return (
    <Alert color="red" role="alert">
      {isOld ? formWords().brand.changed : messageOf(error)}
    </Alert>
  )
}
