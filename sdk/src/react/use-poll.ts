import { useCallback, useEffect, useRef, useState } from 'react'
import { isTossupError, type TossupError } from '../errors.ts'
import type { Poll, PollListItem, Vote } from '../openapi.ts'
import type { Option, Visitor, VoteOrigin } from '../visitor.ts'
import { useVisitor } from './context.ts'
import { followTallies } from './live-tallies.ts'
import { useLatest } from './use-latest.ts'

/** A poll to show; a list item is enough. */
export type ShownPoll = Poll | PollListItem

export interface UsePollOptions {
  /** Data that your server has read already: shown at once, and read again only for another poll. */
  readonly initialPoll?: ShownPoll | undefined
  /** Whether tallies are live once this visitor may see them. Default: true. */
  readonly isLive?: boolean | undefined
  /** Sent with the vote: where the poll is shown, and in which order. */
  readonly origin?: VoteOrigin | undefined
  /** The code of the person who votes, on a poll with `admission: 'code'`. */
  readonly code?: string | undefined
  readonly onVoted?: ((vote: Vote) => void) | undefined
  readonly onError?: ((error: TossupError) => void) | undefined
}

export interface PollState {
  /** Null until it is loaded. */
  readonly poll: ShownPoll | null
  /** This visitor's vote: set at once, and reverted when it fails. */
  readonly option: Option | null
  readonly isVoting: boolean
  readonly error: TossupError | null
  /** Casts a vote. Does nothing during a request or after a vote. */
  readonly vote: (option: Option) => Promise<void>
}

interface Seen {
  readonly poll: ShownPoll | null
  readonly option: Option | null
  readonly isVoting: boolean
  readonly error: TossupError | null
}

const NOTHING: Seen = { poll: null, option: null, isVoting: false, error: null }

/** A poll, this visitor's vote, and a function to cast it. */
export function usePoll(reference: string, options: UsePollOptions = {}): PollState {
  const { initialPoll, isLive = true, code } = options
  const given = useLatest(options)
  const visitor = useVisitor()
  const [seen, setSeen] = useState<Seen>({ ...NOTHING, poll: initialPoll ?? null })
  const { poll, option, isVoting } = seen
  // Two taps may come before the next render.
  const isBusy = useRef(false)

  useEffect(() => {
    const leaving = new AbortController()
    const { initialPoll: first } = given.current
    const there = first && isNamed(first, reference) ? first : null
    setSeen({ ...NOTHING, poll: there })
    load(visitor, { reference, poll: there, code, signal: leaving.signal }).then(
      (loaded) => setSeen((now) => ({ ...now, ...loaded })),
      (error: unknown) => {
        if (leaving.signal.aborted) return
        if (!isTossupError(error)) throw error
        setSeen((now) => ({ ...now, error }))
        given.current.onError?.(error)
      },
    )
    return () => leaving.abort()
  }, [visitor, reference, code, given])

  const slug = poll?.slug
  const isFollowed = isLive && !isVoting && option !== null && !poll?.tallies.hidden
  useEffect(() => {
    if (!isFollowed || slug === undefined) return
    return followTallies(visitor, {
      slug,
      onTold: ({ status, tallies }) => {
        // Hidden from the public, but not from voters.
        if (tallies.hidden) return
        setSeen((now) => (now.poll?.slug === slug ? { ...now, poll: { ...now.poll, status, tallies } } : now))
      },
    })
  }, [visitor, slug, isFollowed])

  const vote = useCallback(
    async (chosen: Option) => {
      if (isBusy.current || option !== null) return
      isBusy.current = true
      setSeen((now) => ({ ...now, option: chosen, isVoting: true, error: null }))
      try {
        const { origin, code } = given.current
        const cast = await visitor.castVote(reference, chosen, { ...origin, code })
        setSeen((now) => withVote(now, cast))
        given.current.onVoted?.(cast)
      } catch (error) {
        if (!isTossupError(error)) throw error
        setSeen((now) => ({ ...now, option: standingVote(error), isVoting: false, error }))
        given.current.onError?.(error)
      } finally {
        isBusy.current = false
      }
    },
    [visitor, reference, option, given],
  )

  return { ...seen, vote }
}

const isNamed = (poll: ShownPoll, name: string): boolean =>
  [poll.id, poll.slug, 'shortId' in poll ? poll.shortId : ''].includes(name)

interface Loading {
  readonly reference: string
  readonly poll: ShownPoll | null
  readonly code: string | undefined
  readonly signal: AbortSignal
}

async function load(visitor: Visitor, { reference, poll, code, signal }: Loading): Promise<Partial<Seen>> {
  const [read, own] = await Promise.all([
    poll ?? visitor.getPoll(reference, { signal }),
    visitor.getOwnVote(reference, { code, signal }),
  ])
  // Tallies that only voters may see.
  return { poll: own ? { ...read, tallies: own.tallies } : read, option: own?.option ?? null }
}

const withVote = (now: Seen, { option, tallies }: Vote): Seen => ({
  poll: now.poll && { ...now.poll, tallies },
  option,
  isVoting: false,
  error: null,
})

/** The earlier vote of a refused one, or null. */
function standingVote(error: TossupError): Option | null {
  const isAbout = isTossupError(error, 'VOTE_ALREADY_CAST') || isTossupError(error, 'POLST_CLOSED')
  return isAbout ? (error.details.existingVote?.option ?? null) : null
}
