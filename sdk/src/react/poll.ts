import { createElement as h, type ReactNode, useEffect, useId, useRef } from 'react'
import type { TossupError } from '../errors.ts'
import type { Vote } from '../openapi.ts'
import type { Option } from '../visitor.ts'
import { type ShownPoll, type UsePollOptions, usePoll } from './use-poll.ts'

/** The words that every kind of embed understands. */
export interface LookProps {
  readonly theme?: 'light' | 'dark' | 'auto' | undefined
  /** `rrggbb` */
  readonly accent?: string | undefined
  readonly hideTitle?: boolean | undefined
  readonly hideBrand?: boolean | undefined
  readonly lang?: string | undefined
}

export interface PollProps extends LookProps, UsePollOptions {
  /** The shortId of the poll, its slug or its id. */
  readonly poll: string
  readonly className?: string | undefined
  readonly onReady?: ((poll: ShownPoll) => void) | undefined
  readonly onVoted?: ((vote: Vote) => void) | undefined
  readonly onError?: ((error: TossupError) => void) | undefined
}

const SLOTS = { A: 'optionA', B: 'optionB' } as const
const CHOICES = ['A', 'B'] as const

/**
 * A poll: two real buttons, and the counts once this visitor may see them. It has the class names of every other embed and no
 * styles of its own.
 *
 * @example
 * <Poll poll="Xy12ab34CD56" onVoted={({ option }) => console.log(option)} />
 */
export function Poll(props: PollProps): ReactNode {
  const { poll: reference, onReady } = props
  const { poll, option, isVoting, error, vote } = usePoll(reference, props)
  const titleId = useId()
  const readyFor = useRef('')
  useEffect(() => {
    if (!poll || readyFor.current === poll.id) return
    readyFor.current = poll.id
    onReady?.(poll)
  }, [poll, onReady])

  const { theme = 'auto', accent, lang = 'en', className = '', hideTitle, hideBrand } = props
  const shell = {
    className: `tossup ${className}`.trim(),
    lang,
    'data-scheme': theme,
    'data-state': stateOf(poll, { option, error }),
    'aria-busy': (!poll && !error) || isVoting,
    style: accent ? { '--tossup-accent': `#${accent.replace('#', '')}` } : undefined,
  }
  if (!poll)
    return h('article', shell, h('p', { className: 'status', role: 'status' }, error ? wordsOf(error) : 'Loading …'))
  const title = {
    className: hideTitle ? 'title out-of-sight' : 'title',
    id: titleId,
    dir: 'auto',
    style: hideTitle ? UNSEEN : undefined,
  }
  return h(
    'article',
    { ...shell, 'aria-labelledby': titleId },
    h(
      'div',
      { className: 'poll' },
      poll.brand && !hideBrand && h('p', { className: 'brand', dir: 'auto' }, poll.brand.name),
      h('h2', title, poll.title),
      h(
        'div',
        { className: 'options', role: 'group', 'aria-labelledby': titleId },
        CHOICES.map((choice) => h(Choice, { key: choice, poll, choice, option, vote })),
      ),
      h('p', { className: 'status', role: 'status' }, statusOf(poll, { option, error, lang })),
    ),
  )
}

/** Out of sight, and still what the poll is called. */
const UNSEEN = { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' } as const

interface ChoiceProps {
  readonly poll: ShownPoll
  readonly choice: Option
  readonly option: Option | null
  readonly vote: (option: Option) => Promise<void>
}

function Choice({ poll, choice, option, vote }: ChoiceProps): ReactNode {
  const { label, imageUrl, imageAlt } = poll[SLOTS[choice]]
  const isAsked = poll.status === 'open' && option === null
  const share = areResultsShown(poll, option) ? sharesOf(poll)[choice] : null
  const button = {
    className: `option option-${choice.toLowerCase()}${imageUrl ? ' has-picture' : ''}`,
    'data-option': choice,
    'aria-disabled': !isAsked || undefined,
    'aria-pressed': option === null ? undefined : option === choice,
    onClick: () => {
      if (isAsked) void vote(choice)
    },
  }
  return h(
    'div',
    { className: 'choice' },
    h(
      'button',
      { type: 'button', ...button },
      imageUrl &&
        h('img', {
          className: 'picture',
          src: imageUrl,
          srcSet: srcSetOf(poll, choice),
          alt: imageAlt ?? '',
          loading: 'lazy',
        }),
      h('span', { className: 'label' }, h('span', { className: 'words', dir: 'auto' }, label)),
      share !== null && h('span', { className: 'result' }, h('span', { className: 'share' }, `${share}%`)),
    ),
  )
}

function srcSetOf(poll: ShownPoll, choice: Option): string | undefined {
  const variants = poll.imageVariants.filter(({ slot }) => slot === SLOTS[choice])
  return variants.map(({ url, width }) => `${url} ${width}w`).join(', ') || undefined
}

/** Whoever has not chosen yet shall not be led by the counts. */
const areResultsShown = ({ tallies, status }: ShownPoll, option: Option | null): boolean =>
  !tallies.hidden && (status === 'closed' || option !== null)

/** Whole percent that add up to 100; none while there are no votes. */
function sharesOf({ tallies }: ShownPoll): Record<Option, number> {
  if (tallies.total === 0) return { A: 0, B: 0 }
  const a = Math.round((100 * tallies.optionA) / tallies.total)
  return { A: a, B: 100 - a }
}

interface Said {
  readonly option: Option | null
  readonly error: TossupError | null
}

function stateOf(poll: ShownPoll | null, { option, error }: Said): string {
  if (!poll) return error ? 'error' : 'loading'
  const state = poll.status === 'open' && option ? 'voted' : poll.status
  return areResultsShown(poll, option) ? `${state} results` : state
}

function statusOf(poll: ShownPoll, { option, error, lang }: Said & { lang: string }): string {
  const { status, tallies } = poll
  // That a vote stands already is shown by the vote.
  if (error && !option) return wordsOf(error)
  if (status === 'scheduled') return 'Not open yet'
  const closed = status === 'closed' ? 'Closed · ' : ''
  if (tallies.hidden) return closed + (option ? 'Thank you for your vote' : 'Results are not shown')
  if (tallies.total === 0) return `${closed}No votes yet`
  return `${closed}${new Intl.NumberFormat(lang).format(tallies.total)} ${tallies.total === 1 ? 'vote' : 'votes'}`
}

function wordsOf({ code }: TossupError): string {
  if (code === 'NOT_FOUND') return 'This poll is not available'
  if (code === 'POLST_CLOSED') return 'Voting is closed'
  if (code === 'RATE_LIMITED') return 'Too many votes at once. Please wait a minute.'
  return 'That did not work. Please try again.'
}
