import { Badge, Text } from '@mantine/core'
import { useCallback } from 'react'
import type { VoterEvent } from '../../../../sdk/src/index.ts'
import { EndlessList } from '../../parts/lists/endless-rows.tsx'
import { useEndless } from '../../parts/lists/use-endless.ts'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, fromNow, moment } from '../../words/words.ts'
import { type PollInView, pollKey } from './use-poll.ts'

const PAGE = 50
const ASK_EVERY_MS = 10_000
/** Told apart at a glance; the whole id is in its title. */
const SHOWN_OF_ID = 8

const idOf = ({ position }: VoterEvent): string => String(position)

export function VoterList({ poll }: { readonly poll: PollInView }) {
  const { slug, tossup } = useBrand()
  const { voters } = resultWords()
  const pages = useEndless({
    queryKey: [...pollKey(slug, poll.shortId), 'voters'],
    read: ({ cursor, signal }) => tossup.listVoters(poll.id, { cursor, limit: PAGE }, { signal }).page(),
    againMs: (_, isLong) => !isLong && ASK_EVERY_MS,
  })
  const row = useCallback((voter: VoterEvent) => <Voter voter={voter} poll={poll} />, [poll])
  return (
    <EndlessList
      label={voters.title}
      pages={pages}
      idOf={idOf}
      rowHeight={47}
      loadingRows={3}
      empty={
        <Text size="sm" c="dimmed">
          {voters.none}
        </Text>
      }
    >
      {row}
    </EndlessList>
  )
}

const COLORS = { A: 'violet', B: 'yellow' } as const

function Voter({ voter, poll }: { readonly voter: VoterEvent; readonly poll: PollInView }) {
  const { respondentId, option, votedAt } = voter
  return (
    <div className="activity-line" style={{ flexWrap: 'wrap', gap: '0.25rem 1rem' }}>
      <span title={respondentId} style={{ minWidth: '8rem' }}>
        {filled(resultWords().voters.device, { id: respondentId.slice(0, SHOWN_OF_ID) })}
      </span>
      <span className="grow" style={{ minWidth: '6rem' }}>
        <Badge variant="light" color={COLORS[option]} tt="none">
          <bdi>{poll[`option${option}`].label}</bdi>
        </Badge>
      </span>
      <time dateTime={votedAt} title={moment(votedAt)}>
        {fromNow(votedAt)}
      </time>
    </div>
  )
}
