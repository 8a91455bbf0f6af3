import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useBrand } from '../../../session/brand.ts'
import { resultWords } from '../../../words/result-words.ts'
import type { PollInView } from '../use-poll.ts'
import type { TimedNote } from './chart-notes.ts'

const MOST_CHANGES = 50
/** One save both changes a poll and, for example, closes it. */
const SAME_MS = 2_000

/** The history of a poll that its charts mark, oldest first. Other changes stand in the activity, which analysts do not see. */
export function useNotes(poll: PollInView): readonly TimedNote[] {
  const { slug, tossup, mayEdit } = useBrand()
  const { id, createdAt, opensAt, closesAt, revisedAt, archivedAt } = poll
  const changes = useQuery({
    queryKey: ['brand', slug, 'activity', 'notes', id],
    queryFn: ({ signal }) => tossup.listActivity({ subject: id, limit: MOST_CHANGES }, { signal }).page(),
    enabled: mayEdit,
  })
  return useMemo(() => {
    const its = resultWords().share
    const named: readonly (readonly [string | null | undefined, string])[] = [
      [createdAt, its.note_created],
      [opensAt, its.note_opened],
      [revisedAt, its.note_edited],
      [closesAt, its.note_closed],
      [archivedAt, its.note_archived],
    ]
    const known = named.flatMap(([at, text]) => (at && Date.parse(at) <= Date.now() ? [{ at, text }] : []))
    const isKnown = (at: string) => known.some((each) => Math.abs(Date.parse(each.at) - Date.parse(at)) < SAME_MS)
    const others = (changes.data?.data ?? []).flatMap(({ action, at }) => {
      if (action === 'poll.published') return [{ at, text: its.note_published }]
      return action === 'poll.updated' && !isKnown(at) ? [{ at, text: its.note_changed }] : []
    })
    return [...known, ...others].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  }, [createdAt, opensAt, revisedAt, closesAt, archivedAt, changes.data])
}
