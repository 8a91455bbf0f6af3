import { Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CampaignUpdate, ExportFormat } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useDownload } from '../../parts/lists/use-download.tsx'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { useRemoval } from '../../parts/use-removal.ts'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { resultWords } from '../../words/result-words.ts'
import { words } from '../../words/words.ts'
import type { CampaignInView } from './use-campaign.ts'

interface ActionsProps {
  readonly campaign: CampaignInView
  readonly onPublished: () => void
}

/** Actions on a campaign that its state and this person's role allow. */
export function CampaignActions({ campaign, onPublished }: ActionsProps) {
  const { slug, tossup, mayEdit } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'archive' | 'delete' | null>(null)
  const { poll } = words()
  const its = campaignWords()
  const { downloads } = resultWords()
  const { campaignId, state } = campaign
  const close = () => setAsked(null)

  const update = useMutation({
    mutationFn: ({ body }: { body: CampaignUpdate; said: string | null }) => tossup.updateCampaign(campaignId, body),
    onSuccess(_changed, { said }) {
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      if (said === null) onPublished()
      else toast(said)
      close()
    },
    onError: toastFailure,
  })
  const remove = useRemoval({
    remove: () => tossup.deleteCampaign(campaignId),
    leave: () => navigate({ to: '/$brand/campaigns', params: { brand: slug } }),
    queryKey: ['brand', slug],
    said: its.deleted,
  })
  const download = useDownload()
  const save = (format: ExportFormat, layout: 'long' | 'wide') => () =>
    download.start({
      // Spreadsheets read UTF-8 by its mark.
      open: (signal) => tossup.exportResponses(campaignId, format, { layout, bom: format === 'csv', signal }),
      name: `${layout === 'wide' ? 'responses-wide' : 'responses'} - ${campaign.title}.${format}`,
      said: its.downloaded,
    })
  const setState = (to: CampaignInView['state'], said: string | null) => update.mutate({ body: { state: to }, said })
  return (
    <>
      {download.note}
      {state === 'draft' && mayEdit && (
        <Button loading={update.isPending} onClick={() => setState('published', null)}>
          {its.publish}
        </Button>
      )}
      <MoreMenu isLoading={download.isRunning}>
        {state === 'published' && (
          <Menu.Item component="a" href={`/c/${campaignId}`} target="_blank">
            {its.view}
          </Menu.Item>
        )}
        <Menu.Label>{its.download}</Menu.Label>
        <Menu.Item onClick={save('csv', 'wide')}>{downloads.wide}</Menu.Item>
        <Menu.Item onClick={save('csv', 'long')}>{downloads.long}</Menu.Item>
        <Menu.Item onClick={save('ndjson', 'long')}>{poll.ndjson}</Menu.Item>
        {mayEdit && (
          <>
            <Menu.Divider />
            {state === 'archived' ? (
              <Menu.Item onClick={() => setState('published', its.unarchived)}>{its.unarchive}</Menu.Item>
            ) : (
              <Menu.Item onClick={() => setAsked('archive')}>{its.archive}</Menu.Item>
            )}
            <Menu.Item color="red" onClick={() => setAsked('delete')}>
              {its.delete}
            </Menu.Item>
          </>
        )}
      </MoreMenu>
      <Confirm
        isOpen={asked === 'archive'}
        text={its.archiveText}
        action={its.archive}
        isPending={update.isPending}
        onConfirm={() => setState('archived', its.archived)}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'delete'}
        text={its.deleteText}
        action={its.delete}
        typed={campaign.title}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
    </>
  )
}
