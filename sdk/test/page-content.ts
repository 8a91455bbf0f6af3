import { createElement as h, type ReactNode } from 'react'
import {
  Campaign,
  type CampaignProps,
  Poll,
  type PollProps,
  TossupProvider,
  useCampaign,
  usePoll,
} from '../src/react/index.ts'
import type { Visitor } from '../src/visitor.ts'

/** The content of a page, which tests can replace. */
export interface Wanted {
  readonly polls?: readonly PollProps[]
  readonly campaign?: CampaignProps
  /** A poll and a campaign that the page renders itself. */
  readonly ownPoll?: string
  readonly ownCampaign?: string
}

type Tell = (name: string, detail: unknown) => void

/** The same on a server and in a browser. */
export function content(visitor: Visitor, wanted: Wanted, tell: Tell): ReactNode {
  const { polls = [], campaign, ownPoll, ownCampaign } = wanted
  const on = (name: string) => (detail: unknown) => tell(name, detail)
  const heard = { onReady: on('ready'), onVoted: on('voted'), onError: on('error') }
  return h(
    TossupProvider,
    { visitor },
    polls.map((props, index) => h(Poll, { key: index, ...heard, ...props })),
    campaign && h(Campaign, { ...heard, onStep: on('step'), onCompleted: on('completed'), ...campaign }),
    ownPoll && h(OwnPoll, { poll: ownPoll, tell }),
    ownCampaign && h(OwnCampaign, { campaign: ownCampaign }),
    h('p', { id: 'after' }, 'What follows.'),
  )
}

function OwnPoll({ poll: reference, tell }: { poll: string; tell: Tell }): ReactNode {
  const onVoted = ({ option }: { option: string }) => tell('voted', option)
  const { poll, option, error, vote } = usePoll(reference, { onVoted })
  if (!poll) return error?.code
  return [
    h('button', { key: 'A', type: 'button', disabled: option !== null, onClick: () => vote('A') }, poll.optionA.label),
    h('button', { key: 'B', type: 'button', disabled: option !== null, onClick: () => vote('B') }, poll.optionB.label),
    h('output', { key: 'total' }, `${option ?? error?.code ?? 'none'} ${poll.tallies.optionA}:${poll.tallies.optionB}`),
  ]
}

function OwnCampaign({ campaign: id }: { campaign: string }): ReactNode {
  const { poll, progress, goTo, step, refresh } = useCampaign(id)
  if (!poll) return 'nothing'
  return [
    h('h2', { key: 'title' }, poll.title),
    h(Poll, { key: poll.id, poll: poll.slug, initialPoll: poll, onVoted: () => void refresh() }),
    h('output', { key: 'progress' }, `${progress?.completedSteps ?? 0} of ${progress?.totalSteps ?? '?'}`),
    h('button', { key: 'next', type: 'button', onClick: () => goTo(step + 1) }, 'Next'),
  ]
}
