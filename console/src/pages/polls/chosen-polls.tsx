import { Button, Group, Paper, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import type { Tossup } from '../../../../sdk/src/index.ts'
import { messageOf } from '../../parts/messages/messages.ts'
import { toast, toastFailure } from '../../parts/messages/toasts.tsx'
import { useBrand } from '../../session/brand.ts'
import { filled, words } from '../../words/words.ts'
import { invalidateBrand, listsInView, withoutPolls } from './listed-polls.ts'
import type { PollFilters } from './use-poll-pages.ts'

/** The polls that are chosen in the list. Another filter shows other polls, so nothing stays chosen out of sight. */
export function useChosen({ q, state }: PollFilters) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const clear = () => setChosen(new Set())
  // biome-ignore lint/correctness/useExhaustiveDependencies: at another filter
  useEffect(clear, [q, state])
  const toggle = useCallback((id: string) => {
    setChosen((before) => {
      const next = new Set(before)
      if (!next.delete(id)) next.add(id)
      return next
    })
  }, [])
  return { chosen, toggle, clear }
}

const AT_ONCE = 5

interface Outcome {
  readonly done: readonly string[]
  readonly error: unknown
}

/** Sends a few requests at a time and stops at the first refusal. Changes made by then can be undone. */
async function setArchived(tossup: Tossup, ids: readonly string[], archived: boolean): Promise<Outcome> {
  const waiting = [...ids]
  const done: string[] = []
  let error: unknown = null
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined && error === null; id = waiting.shift()) {
      try {
        await tossup.updatePoll(id, { archived })
        done.push(id)
      } catch (refusal) {
        error ??= refusal
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { done, error }
}

interface Change {
  readonly ids: readonly string[]
  readonly archived: boolean
}

interface BarProps {
  readonly chosen: ReadonlySet<string>
  readonly isArchived: boolean
  readonly onDone: () => void
}

function said({ archived }: Change, done: number): string {
  const its = words().bulk
  if (done === 1) return archived ? its.archivedOne : its.backOne
  return filled(archived ? its.archived : its.back, { count: done })
}

/** Actions on the chosen polls, at the lower edge of the window. */
export function ChosenBar({ chosen, isArchived, onDone }: BarProps) {
  const { slug, tossup } = useBrand()
  const client = useQueryClient()
  const its = words().bulk

  /** The rows leave their list at once, and those that are refused come back. Outlives the bar: its undo is in a toast. */
  async function run(change: Change): Promise<void> {
    const { ids, archived } = change
    const { putBack, lists } = await withoutPolls(client, slug, ids)
    const inView = listsInView(client, slug)
    const { done, error } = await setArchived(tossup, ids, archived)
    if (error === null) invalidateBrand(client, slug, inView)
    else {
      putBack(ids.filter((id) => !done.includes(id)))
      void client.invalidateQueries({ queryKey: ['brand', slug] })
    }
    const undo = async () => {
      const back = { ids: done, archived: !archived }
      const { done: undone, error: refusal } = await setArchived(tossup, done, back.archived)
      putBack(undone)
      const inView = [...listsInView(client, slug)].filter(([list]) => lists.has(list))
      invalidateBrand(client, slug, new Map(inView))
      if (undone.length > 0) toast(said(back, undone.length))
      if (refusal !== null) throw refusal
    }
    if (done.length > 0)
      toast(said(change, done.length), { label: its.undo, run: () => void undo().catch(toastFailure) })
    if (error !== null) {
      const values = { done: done.length, count: ids.length, message: messageOf(error) }
      throw ids.length === 1 ? error : new Error(filled(its.partly, values))
    }
  }
  const change = useMutation({
    mutationFn: () => run({ ids: [...chosen], archived: !isArchived }),
    onError: toastFailure,
    // After a failure too: the rows that were changed are in another list.
    onSettled: onDone,
  })
  return (
    <Paper
      withBorder
      shadow="md"
      p="sm"
      component="section"
      aria-label={words().common.actions}
      style={{ position: 'sticky', insetBlockEnd: '1rem', zIndex: 5 }}
    >
      <Group justify="space-between">
        <Text size="sm" fw={600} role="status">
          {filled(its.chosen, { count: chosen.size })}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="xs" onClick={onDone}>
            {its.clear}
          </Button>
          <Button size="xs" loading={change.isPending} onClick={() => change.mutate()}>
            {isArchived ? words().poll.unarchive : words().poll.archive}
          </Button>
        </Group>
      </Group>
    </Paper>
  )
}
