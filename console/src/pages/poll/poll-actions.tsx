import { Button, Menu } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ExportFormat, PollUpdate } from '../../../../sdk/src/index.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { useDownload } from '../../parts/lists/use-download.tsx'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { MoreMenu } from '../../parts/more-menu.tsx'
import { closeNow } from '../../parts/polls/close-now.ts'
import type { PollState } from '../../parts/polls/poll-parts.tsx'
import { useRemoval } from '../../parts/use-removal.ts'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { words } from '../../words/words.ts'
import { type PollInView, pollKey } from './use-poll.ts'

interface ActionsProps {
  readonly poll: PollInView
  readonly state: PollState
  readonly onPublished: () => void
}

type PollQuestion = 'close' | 'archive' | 'delete' | null

/** Actions on a poll that its state and this person's role allow. */
export function PollActions({ poll, state, onPublished }: ActionsProps) {
  const { slug, tossup, mayEdit } = useBrand()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<PollQuestion>(null)
  const { poll: its } = words()
  const close = () => setAsked(null)

  const update = useMutation({
    mutationFn: ({ body }: { body: PollUpdate | 'close'; said: string | null }) =>
      body === 'close' ? closeNow(tossup, poll.id) : tossup.updatePoll(poll.id, body),
    onSuccess(changed, { said }) {
      client.setQueryData(pollKey(slug, poll.shortId), changed)
      void client.invalidateQueries({ queryKey: ['brand', slug] })
      if (said === null) onPublished()
      else toast(said)
      close()
    },
    onError: toastFailure,
  })
  const remove = useRemoval({
    remove: () => tossup.deletePoll(poll.id),
    leave: () => navigate({ to: '/$brand/polls', params: { brand: slug } }),
    queryKey: ['brand', slug],
    said: its.deleted,
  })
  const download = useDownload()
  const save = (format: ExportFormat) => () =>
    download.start({
      // Spreadsheets read UTF-8 by its mark.
      open: (signal) => tossup.exportVoters(poll.id, format, { bom: format === 'csv', signal }),
      name: `${poll.slug}.${format}`,
      said: its.downloaded,
      lines: poll.tallies.total,
    })
  const isRunning = state === 'open' || state === 'scheduled'
  const item = (label: string, onClick: () => void) => <Menu.Item onClick={onClick}>{label}</Menu.Item>
  return (
    <>
      {download.note}
      {state === 'draft' && mayEdit && (
        <Button loading={update.isPending} onClick={() => update.mutate({ body: { isDraft: false }, said: null })}>
          {its.publish}
        </Button>
      )}
      <MoreMenu isLoading={download.isRunning}>
        {!poll.isDraft && (
          <Menu.Item component="a" href={poll.shareUrl} target="_blank">
            {its.view}
          </Menu.Item>
        )}
        <Menu.Item
          renderRoot={(props) => (
            <Link {...props} to="/$brand/compare" params={{ brand: slug }} search={{ polls: poll.id } as never} />
          )}
        >
          {resultWords().compare.link}
        </Menu.Item>
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
              {its.duplicate}
            </Menu.Item>
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
      </MoreMenu>
      <Confirm
        isOpen={asked === 'close'}
        text={its.closeText}
        action={its.closeNow}
        isPending={update.isPending}
        onConfirm={() => update.mutate({ body: 'close', said: its.closed })}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'archive'}
        text={its.archiveText}
        action={its.archive}
        isPending={update.isPending}
        onConfirm={() => update.mutate({ body: { archived: true }, said: its.archived })}
        onClose={close}
      />
      <Confirm
        isOpen={asked === 'delete'}
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
