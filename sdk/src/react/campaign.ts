import { createElement as h, type ReactNode } from 'react'
import type { Campaign as CampaignData } from '../openapi.ts'
import { Embed, type EmbedError, type LookProps } from './embed.ts'
import type { CastVote } from './poll.ts'

export interface CampaignProps extends LookProps {
  readonly campaign: string
  /** Whether the next poll follows automatically after a vote. Default: true. */
  readonly autoAdvance?: boolean | undefined
  /** Data that your server has read already. */
  readonly initialCampaign?: CampaignData | undefined
  readonly className?: string | undefined
  readonly onReady?: ((ready: { readonly campaign: string }) => void) | undefined
  readonly onVoted?: ((vote: CastVote) => void) | undefined
  readonly onStep?: ((step: CampaignStep) => void) | undefined
  readonly onCompleted?: ((done: Pick<CampaignStep, 'campaign' | 'totalSteps'>) => void) | undefined
  readonly onError?: ((error: EmbedError) => void) | undefined
}

/** This visitor's progress. */
export interface CampaignStep {
  readonly campaign: string
  readonly completedSteps: number
  readonly totalSteps: number
}

/**
 * The polls of a campaign, one after the other, from the first that this visitor has not answered: the element
 * `<tossup-campaign>`.
 *
 * @example
 * <Campaign campaign="0d5f5a0e-…" onCompleted={() => console.log('done')} />
 */
export function Campaign(props: CampaignProps): ReactNode {
  const { campaign, initialCampaign, className, onReady, onVoted, onStep, onCompleted, onError, ...looks } = props
  const told = { ready: onReady, voted: onVoted, step: onStep, completed: onCompleted, error: onError }
  return h(Embed, {
    key: campaign,
    kind: 'campaign',
    reference: campaign,
    looks,
    className,
    given: initialCampaign,
    told,
  })
}
