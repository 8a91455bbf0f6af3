import { Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { OwnedCampaign } from '../../../../sdk/src/index.ts'
import { focusFirstProblem } from '../../parts/focus-first-problem.ts'
import { DraftForm, FormFailure } from '../../parts/forms/draft-form.tsx'
import { useDraft } from '../../parts/forms/use-draft.ts'
import { fieldErrorsOf } from '../../parts/messages/messages.ts'
import { toast } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { draftOf, type EditedCampaign, NEW_DRAFT, problemsOf } from './campaign-draft.ts'
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
  const { draft, problems, isChanged, change, isComplete } = useDraft(
    () => (edited ? draftOf(edited) : NEW_DRAFT),
    problemsOf,
  )

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
    saving.reset()
    if (isComplete()) saving.mutate(state)
  }

  const errors = { ...problems, ...fieldErrorsOf(saving.error) }
  const isNewOrDraft = campaign === null || campaign.state === 'draft'
  return (
    <DraftForm isChanged={isChanged} onSave={() => save(isNewOrDraft ? 'published' : campaign.state)}>
      <Stack gap="md" maw={720}>
        <CampaignFields draft={draft} errors={errors} change={change} />
        <FormFailure error={saving.error} changed={its.changed} />
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
    </DraftForm>
  )
}
