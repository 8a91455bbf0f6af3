import { ActionIcon, Button, Group, Menu, Paper, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { toast } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { listingWords } from '../../words/listing-words.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, words } from '../../words/words.ts'
import { MOST_POLLS } from '../compare/comparison.ts'
import { BulkDialog, type BulkQuestion } from './bulk-dialog.tsx'
import { type BulkChange, changePolls, type Failure, type Outcome, undoChanges } from './change-polls.ts'
import { invalidateBrand, listsInView, withoutPolls } from './listed-polls.ts'
import type { Chosen } from './use-chosen.ts'
import type { ListedPoll } from './use-poll-pages.ts'

const sentence = (kind: BulkChange['kind'] | 'undone' | 'failed', count: number): string => {
  const its = listingWords().bulk
  return count === 1 ? its[`${kind}One`] : filled(its[kind], { count })
}

interface Running {
  readonly count: number
  readonly of: number
  readonly stop: () => void
}

/** Changes many polls, and says what did not change. The undo of what did is in a toast, which outlives the list. */
function useBulk(onEnd: (left: readonly ListedPoll[]) => void) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const [running, setRunning] = useState<Running | null>(null)
  const [failed, setFailed] = useState<readonly Failure[]>([])

  async function undo({ done }: Outcome, putBack: (ids: readonly string[]) => void, lists: ReadonlySet<string> | null) {
    const outcome = await undoChanges(tossup, done)
    const undone = outcome.done.map(({ poll }) => poll.id)
    putBack(undone)
    if (lists) {
      const inView = [...listsInView(client, slug)].filter(([list]) => lists.has(list))
      invalidateBrand(client, slug, new Map(inView))
    } else void client.invalidateQueries({ queryKey: ['brand', slug] })
    if (undone.length > 0) toast(sentence(lists ? 'back' : 'undone', undone.length))
    setFailed(outcome.failed)
  }

  /** Rows that leave their list go at once, and those that are refused come back. */
  async function run(polls: readonly ListedPoll[], change: BulkChange): Promise<void> {
    const stopping = new AbortController()
    const progress = (count: number) => setRunning({ count, of: polls.length, stop: () => stopping.abort() })
    progress(0)
    const isLeaving = change.kind === 'archived' || change.kind === 'back'
    const ids = polls.map(({ id }) => id)
    const { putBack, lists } = isLeaving
      ? await withoutPolls(client, slug, ids)
      : { putBack: () => undefined, lists: null }
    const inView = listsInView(client, slug)
    const outcome = await changePolls(tossup, { polls, change }, { onProgress: progress, signal: stopping.signal })
    const done = new Set(outcome.done.map(({ poll }) => poll.id))
    const left = polls.filter(({ id }) => !done.has(id))
    if (lists && left.length === 0) invalidateBrand(client, slug, inView)
    else {
      putBack(left.map(({ id }) => id))
      void client.invalidateQueries({ queryKey: ['brand', slug] })
    }
    setRunning(null)
    setFailed(outcome.failed)
    onEnd(left)
    if (done.size === 0) return
    const action = { label: listingWords().bulk.undo, run: () => void undo(outcome, putBack, lists) }
    toast(sentence(change.kind, done.size), outcome.done.some((each) => each.undo) ? action : undefined)
  }
  return { run, running, failed, forget: () => setFailed([]) }
}

interface BarProps {
  readonly chosen: Chosen
  readonly isArchived: boolean
  readonly onChoose: (polls: readonly ListedPoll[]) => void
}

/** Actions on the chosen polls, at the lower edge of the window. */
export function ChosenBar({ chosen, isArchived, onChoose }: BarProps) {
  const { slug } = useBrand()
  const its = listingWords().bulk
  const { poll: ofPoll, edit, common } = words()
  const { run, running, failed, forget } = useBulk(onChoose)
  const [asked, setAsked] = useState<BulkQuestion | null>(null)
  const polls = [...chosen.values()]
  const start = (change: BulkChange) => {
    setAsked(null)
    void run(polls, change)
  }
  const item = (label: string, question: BulkQuestion) => (
    <Menu.Item onClick={() => setAsked(question)}>{label}</Menu.Item>
  )
  return (
    <>
      {chosen.size > 0 && (
        <Paper
          withBorder
          shadow="md"
          p="sm"
          component="section"
          className="chosen-bar"
          aria-label={common.actions}
          style={{ position: 'sticky', insetBlockEnd: '1rem', zIndex: 5 }}
        >
          <Group justify="space-between">
            <Text size="sm" fw={600} role="status">
              {running
                ? filled(its.progress, { done: running.count, count: running.of })
                : filled(its.chosen, { count: chosen.size })}
            </Text>
            {running ? (
              <>
                <progress className="grow" aria-label={common.actions} value={running.count} max={running.of} />
                <Button variant="default" size="xs" onClick={running.stop}>
                  {common.cancel}
                </Button>
              </>
            ) : (
              <Group gap="xs">
                <Button variant="default" size="xs" onClick={() => onChoose([])}>
                  {its.clear}
                </Button>
                {chosen.size > 1 && chosen.size <= MOST_POLLS && (
                  <Button
                    variant="default"
                    size="xs"
                    renderRoot={(props) => (
                      <Link
                        {...props}
                        to="/$brand/compare"
                        params={{ brand: slug }}
                        search={{ polls: [...chosen.keys()].join(',') } as never}
                      />
                    )}
                  >
                    {resultWords().compare.title}
                  </Button>
                )}
                <Button size="xs" onClick={() => start({ kind: isArchived ? 'back' : 'archived' })}>
                  {isArchived ? ofPoll.unarchive : ofPoll.archive}
                </Button>
                <Menu position="top-end">
                  <Menu.Target>
                    <ActionIcon variant="default" size={30} aria-label={common.more}>
                      <Icon name="more" />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {!isArchived && item(ofPoll.closeNow, 'close')}
                    {!isArchived && item(edit.schedule, 'schedule')}
                    {item(its.tag, 'tag')}
                    {item(its.untag, 'untag')}
                  </Menu.Dropdown>
                </Menu>
              </Group>
            )}
          </Group>
        </Paper>
      )}
      {(asked || failed.length > 0) && (
        <BulkDialog
          asked={asked}
          polls={polls}
          failed={failed}
          failedTitle={sentence('failed', failed.length)}
          onRun={start}
          onClose={() => {
            setAsked(null)
            forget()
          }}
        />
      )}
    </>
  )
}
