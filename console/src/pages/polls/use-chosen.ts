import { useCallback, useEffect, useState } from 'react'
import type { ListedPoll, PollFilters } from './use-poll-pages.ts'

/** By their ids, in the order in which they were chosen. */
export type Chosen = ReadonlyMap<string, ListedPoll>

/** The polls that are chosen in the list. Another filter shows other polls, so nothing stays chosen out of sight. */
export function useChosen({ q, state, tag, category }: PollFilters) {
  const [chosen, setChosen] = useState<Chosen>(new Map())
  const choose = useCallback(
    (polls: readonly ListedPoll[]) => setChosen(new Map(polls.map((poll) => [poll.id, poll]))),
    [],
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: at another filter
  useEffect(() => choose([]), [q, state, tag, category])
  const toggle = useCallback((poll: ListedPoll) => {
    setChosen((before) => {
      const next = new Map(before)
      if (!next.delete(poll.id)) next.set(poll.id, poll)
      return next
    })
  }, [])
  return { chosen, toggle, choose }
}
