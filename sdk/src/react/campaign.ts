import { createElement as h, type ReactNode } from 'react'
import { isTossupError, type TossupError } from '../errors.ts'
import type { Campaign as CampaignData, CampaignProgress, Vote } from '../openapi.ts'
import { type LookProps, Poll } from './poll.ts'
import { useCampaign } from './use-campaign.ts'

const LOOK_AT_RESULTS_MS = 1_500

export interface CampaignProps extends LookProps {
  readonly campaign: string
  /** Whether the next poll comes by itself a moment after a vote; true unless said otherwise. */
  readonly autoAdvance?: boolean | undefined
  readonly initialCampaign?: CampaignData | undefined
  readonly className?: string | undefined
  readonly onVoted?: ((vote: Vote) => void) | undefined
  readonly onStep?: ((progress: CampaignProgress) => void) | undefined
  readonly onCompleted?: ((progress: CampaignProgress) => void) | undefined
  readonly onError?: ((error: TossupError) => void) | undefined
}

/**
 * The polls of a campaign, one after the other, from the first that this visitor has not answered.
 *
 * @example
 * <Campaign campaign="0d5f5a0e-…" onCompleted={() => console.log('done')} />
 */
export function Campaign(props: CampaignProps): ReactNode {
  const { campaign: campaignId, autoAdvance = true, initialCampaign, className = '', onError, ...look } = props
  const { onVoted, onStep, onCompleted, ...pollLook } = look
  const { campaign, poll, step, progress, error, goTo, refresh } = useCampaign(campaignId, { initialCampaign, onError })
  const shell = { className: `tossup-campaign ${className}`.trim(), lang: pollLook.lang, 'aria-label': campaign?.title }
  if (!campaign || !poll) return h('section', shell, h('p', { role: 'status' }, wordsOf(campaign, error)))

  const total = campaign.polsts.length
  const voted = async (vote: Vote) => {
    onVoted?.(vote)
    try {
      const now = await refresh()
      if (!now) return
      onStep?.(now)
      if (now.completed) onCompleted?.(now)
      if (autoAdvance && step + 1 < total) setTimeout(() => goTo(step + 1), LOOK_AT_RESULTS_MS)
    } catch (thrown) {
      // The vote counts; how far this visitor is will be seen with the next one.
      if (!isTossupError(thrown)) throw thrown
      onError?.(thrown)
    }
  }
  const turn = (to: number, words: string) =>
    h('button', { type: 'button', disabled: to < 0 || to >= total, onClick: () => goTo(to) }, words)
  return h(
    'section',
    shell,
    h('p', { className: 'step', role: 'status' }, progress?.completed ? 'Completed' : `${step + 1} of ${total}`),
    h(Poll, {
      key: poll.id,
      ...pollLook,
      poll: poll.slug,
      initialPoll: poll,
      onVoted: (vote) => void voted(vote),
      onError,
    }),
    h('nav', { className: 'steps' }, turn(step - 1, 'Back'), turn(step + 1, 'Next')),
  )
}

function wordsOf(campaign: CampaignData | null, error: TossupError | null): string {
  if (error)
    return error.code === 'NOT_FOUND' ? 'This campaign is not available' : 'That did not work. Please try again.'
  return campaign ? 'There are no polls in this campaign' : 'Loading …'
}
