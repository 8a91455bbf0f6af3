import { ActionIcon, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ExportFormat, PollUpdate } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icons.tsx'
import { useDownload } from '../../parts/lists/use-download.tsx'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import type { PollState } from '../../parts/polls/poll-parts.tsx'
import { useBrand } from '../../session/brand.ts'
import { words } from '../../words/words.ts'
import { type PollInView, pollKey } from './use-poll.ts'

interface ActionsProps {
  readonly poll: PollInView
  readonly state: PollState
}

type PollQuestion = 'close' | 'archive' | 'delete' | null

/** Actions on a poll that its state and this person's role allow. */
export function PollActions({ poll, state }: ActionsProps) {
  const { slug, tossup, mayEdit } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<PollQuestion>(null)
  const { poll: its, common } = words()
  const close = () => setAsked(null)

  const update = useMutation({
    mutationFn: ({ body }: { body: PollUpdate; said: string }) => tossup.updatePoll(poll.id, body),
    onSuccess(changed, { said }) {
      client.setQueryData(pollKey(slug, poll.shortId), changed)
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      toast(said)
      close()
    },
    onError: toastFailure,
  })
  const remove = useMutation({
    mutationFn: () => tossup.deletePoll(poll.id),
    async onSuccess() {
      await navigate({ to: '/$brand/polls', params: { brand: slug } })
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      toast(its.deleted)
    },
    onError: toastFailure,
  })
  const download = useDownload()
  const save = (format: ExportFormat) => () =>
    download.start({
      open: (signal) => tossup.exportVoters(poll.id, format, { signal }),
      name: `${poll.slug}.${format}`,
      said: its.downloaded,
      lines: poll.tallies.total,
    })
  const isRunning = state === 'open' || state === 'scheduled'
  const item = (label: string, onClick: () => void) => <Menu.Item onClick={onClick}>{label}</Menu.Item>
  const closeNow = () => update.mutate({ body: { closesAt: new Date().toISOString() }, said: its.closed })
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
          {!poll.isDraft && (
            <Menu.Item component="a" href={poll.shareUrl} target="_blank">
              {its.view}
            </Menu.Item>
          )}
          <Menu.Label>{its.download}</Menu.Label>
          {item(its.csv, save('csv'))}
          {item(its.ndjson, save('ndjson'))}
          {mayEdit && (
            <>
              <Menu.Divider />
              <Menu.Item
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/$brand/polls/new"
                    params={{ brand: slug }}
                    search={{ copy: poll.shortId } as never}
                  />
                )}
              >
                {words().bulk.duplicate}
              </Menu.Item>
              {state === 'draft' &&
                item(its.publish, () => update.mutate({ body: { isDraft: false }, said: its.published }))}
              {isRunning && item(its.closeNow, () => setAsked('close'))}
              {state === 'closed' &&
                item(its.reopen, () => update.mutate({ body: { closesAt: null }, said: its.reopened }))}
              {state === 'archived'
                ? item(its.unarchive, () => update.mutate({ body: { archived: false }, said: its.unarchived }))
                : item(its.archive, () => setAsked('archive'))}
              <Menu.Item color="red" onClick={() => setAsked('delete')}>
                {its.delete}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        isOpen={asked === 'close'}
        title={its.closeNow}
        text={its.closeText}
        action={its.closeNow}
        isPending={update.isPending}
        onConfirm={closeNow}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'archive'}
        title={its.archive}
        text={its.archiveText}
        action={its.archive}
        isPending={update.isPending}
        onConfirm={() => update.mutate({ body: { archived: true }, said: its.archived })}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'delete'}
        title={its.delete}
        text={its.deleteText}
        action={its.delete}
        typed={poll.title}
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
    </>
  )
}
