import { Link } from '@tanstack/react-router'
import { Split, StateBadge, stateOf } from '../../parts/polls/poll-parts.tsx'
import { useBrand } from '../../session/brand.ts'
import { count, fromNow, isolated, words } from '../../words/words.ts'
import type { ListedPoll } from './use-poll-pages.ts'

export function PollRow({ poll }: { readonly poll: ListedPoll }) {
  const { slug } = useBrand()
  const { polls, poll: its } = words()
  const { title, tallies, optionA, optionB, status, createdAt, isDraft = false, archivedAt = null } = poll
  const notes = [
    fromNow(createdAt),
    ...(poll.isPrivate ? [polls.private] : []),
    ...(poll.admission === 'code' ? [polls.who_code] : []),
    ...(poll.tags ?? []).slice(0, 3).map((tag) => isolated(`#${tag}`)),
  ]
  return (
    <Link to="/$brand/polls/$poll" params={{ brand: slug, poll: poll.shortId ?? poll.id }} className="poll-row">
      <span className="poll-row-head">
        <PollMark poll={poll} />
        <span className="poll-row-words">
          <bdi className="poll-row-title">{title}</bdi>
          <span className="poll-row-notes">{notes.join(' · ')}</span>
        </span>
      </span>
      <span className="poll-row-split">
        <Split tallies={tallies} labels={[optionA.label, optionB.label]} />
      </span>
      <span className="poll-row-votes">
        <b>{count(tallies.total)}</b> {tallies.total === 1 ? its.voteOne : its.votes}
      </span>
      <span className="poll-row-state">
        <StateBadge state={stateOf({ status, isDraft, archivedAt })} />
      </span>
    </Link>
  )
}

/** The two pictures side by side, so that a poll is found again at a glance. */
const PollMark = ({ poll: { optionA, optionB } }: { readonly poll: ListedPoll }) => (
  <span className="poll-mark" aria-hidden="true">
    {[optionA, optionB].map(({ imageUrl }, index) =>
      imageUrl ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: the first and the second answer
        <img key={index} src={imageUrl} alt="" loading="lazy" decoding="async" />
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the first and the second answer
        <span key={index} className={index === 0 ? 'none-a' : 'none-b'} />
      ),
    )}
  </span>
)
