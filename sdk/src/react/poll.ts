import { createElement as h, type ReactNode } from 'react'
import type { Tallies } from '../openapi.ts'
import type { Option } from '../visitor.ts'
import { Embed, type EmbedError, type LookProps } from './embed.ts'
import type { ShownPoll } from './use-poll.ts'

/** A vote of this visitor, and the tallies that the voter may see. */
export interface CastVote {
  readonly poll: string
  readonly option: Option
  readonly tallies: Tallies
}

export interface PollProps extends LookProps {
  /** The shortId of the poll, its slug or its id. */
  readonly poll: string
  /** Data that your server has read already. */
  readonly initialPoll?: ShownPoll | undefined
  readonly className?: string | undefined
  readonly onReady?: ((ready: { readonly poll: string }) => void) | undefined
  readonly onVoted?: ((vote: CastVote) => void) | undefined
  readonly onError?: ((error: EmbedError) => void) | undefined
}

/**
 * A poll to vote on, like every other embed: the element `<tossup-poll>`, whose script is loaded from the
 * service.
 *
 * @example
 * <Poll poll="Xy12ab34CD56" onVoted={({ option }) => console.log(option)} />
 */
export function Poll({ poll, initialPoll, className, onReady, onVoted, onError, ...looks }: PollProps): ReactNode {
  const told = { ready: onReady, voted: onVoted, error: onError }
  // Another poll is another element.
  return h(Embed, { key: poll, kind: 'poll', reference: poll, looks, className, given: initialPoll, told })
}
