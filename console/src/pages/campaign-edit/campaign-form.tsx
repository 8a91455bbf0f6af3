import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { isTossupError, type OwnedCampaign } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { fieldErrorsOf, messageOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import { UnsavedGuard } from '../../parts/unsaved-guard.tsx'
import { isSignedOut } from '../../service.ts'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import {
  type CampaignDraft,
  draftOf,
  type EditedCampaign,
  type FieldErrors,
  NEW_DRAFT,
  problemsOf,
} from './campaign-draft.ts'
import { CampaignFields } from './campaign-fields.tsx'
import { saveCampaign } from './save-campaign.ts'

/** Makes a campaign, or changes one. */
export function CampaignForm({ edited }: { readonly edited: EditedCampaign | null }) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const its = campaignWords()
  // Keep the first version even if the page loads again: its ETag detects changes by others.
  const [campaign] = useState(edited?.campaign ?? null)
  const stored = useRef(campaign)
  const [draft, setDraft] = useState<CampaignDraft>(() => (edited ? draftOf(edited) : NEW_DRAFT))
  const [problems, setProblems] = useState<FieldErrors>({})
  const isChanged = useRef(false)

  const change = (changed: Partial<CampaignDraft>) => {
    isChanged.current = true
    setDraft((before) => ({ ...before, ...changed }))
  }
  const saving = useMutation({
    mutationFn: (state: OwnedCampaign['state']) =>
      saveCampaign({
        tossup,
        draft,
        before: stored.current,
        state,
        onStored(now) {
          stored.current = now
        },
      }),
    async onSuccess(saved) {
      isChanged.current = false
      const isPublished = saved.state === 'published' && campaign?.state !== 'published'
      if (!isPublished) toast(its.saved)
      const params = { brand: slug, campaign: saved.campaignId }
      await navigate({ to: '/$brand/campaigns/$campaign', params, state: { isPublished } as never })
      void client.invalidateQueries({ queryKey: ['brand', slug] })
    },
    onError: focusFirstProblem,
  })

  function save(state: OwnedCampaign['state']): void {
    const found = problemsOf(draft)
    setProblems(found)
    saving.reset()
    if (Object.keys(found).length > 0) focusFirstProblem()
    else saving.mutate(state)
  }

  const errors = { ...problems, ...fieldErrorsOf(saving.error) }
  const isNewOrDraft = campaign === null || campaign.state === 'draft'
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        save(isNewOrDraft ? 'published' : campaign.state)
      }}
    >
      <UnsavedGuard isChanged={() => isChanged.current} />
      <Stack gap="md" maw={720}>
        <CampaignFields draft={draft} errors={errors} change={change} />
        <Failure error={saving.error} />
        <Group>
          <Button type="submit" size="md" loading={saving.isPending && saving.variables !== 'draft'}>
            {isNewOrDraft ? its.publish : its.saveChanges}
          </Button>
          {isNewOrDraft && (
            <Button
              variant="default"
              size="md"
              loading={saving.isPending && saving.variables === 'draft'}
              onClick={() => save('draft')}
            >
              {its.saveDraft}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** A refusal that no field shows. */
function Failure({ error }: { readonly error: unknown }) {
  if (!error || isSignedOut(error)) return null
  const isStale = isTossupError(error, 'PRECONDITION_FAILED')
  if (!isStale && Object.keys(fieldErrorsOf(error)).length > 0) return null
  return (
    <Alert color="red" role="alert">
      {isStale ? campaignWords().changed : messageOf(error)}
    </Alert>
  )
}
