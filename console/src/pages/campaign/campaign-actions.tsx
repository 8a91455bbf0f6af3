import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { CampaignUpdate, ExportFormat } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useDownload } from '../../parts/lists/use-download.tsx'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { words } from '../../words/words.ts'
import type { CampaignInView } from './use-campaign.ts'

/** Actions on a campaign that its state and this person's role allow. */
export function CampaignActions({ campaign }: { readonly campaign: CampaignInView }) {
  const { slug, tossup, mayEdit } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'archive' | 'delete' | null>(null)
  const { poll, common } = words()
  const its = campaignWords()
  const { campaignId, state } = campaign
  const close = () => setAsked(null)

  const update = useMutation({
    mutationFn: ({ body }: { body: CampaignUpdate; said: string }) => tossup.updateCampaign(campaignId, body),
    onSuccess(_changed, { said }) {
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      toast(said)
      close()
    },
    onError: toastFailure,
  })
  const remove = useMutation({
    mutationFn: () => tossup.deleteCampaign(campaignId),
    async onSuccess() {
      await navigate({ to: '/$brand/campaigns', params: { brand: slug } })
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      toast(its.deleted)
    },
    onError: toastFailure,
  })
  const download = useDownload()
  const save = (format: ExportFormat) => () =>
    download.start({
      open: (signal) => tossup.exportResponses(campaignId, format, { signal }),
      name: `responses-${campaignId}.${format}`,
      said: its.downloaded,
    })
  const setState = (to: CampaignInView['state'], said: string) => update.mutate({ body: { state: to }, said })
  return (
    <>
      {download.note}
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={common.more} loading={download.isRunning}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {state === 'published' && (
            <Menu.Item component="a" href={`/c/${campaignId}`} target="_blank">
              {its.view}
            </Menu.Item>
          )}
          <Menu.Label>{its.download}</Menu.Label>
          <Menu.Item onClick={save('csv')}>{poll.csv}</Menu.Item>
          <Menu.Item onClick={save('ndjson')}>{poll.ndjson}</Menu.Item>
          {mayEdit && (
            <>
              <Menu.Divider />
              {state === 'draft' && (
                <Menu.Item onClick={() => setState('published', its.published)}>{its.publish}</Menu.Item>
              )}
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
        </Menu.Dropdown>
      </Menu>
      <Confirm
        isOpen={asked === 'archive'}
        title={its.archive}
        text={its.archiveText}
        action={its.archive}
        isPending={update.isPending}
        onConfirm={() => setState('archived', its.archived)}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'delete'}
        title={its.delete}
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
