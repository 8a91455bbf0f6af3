import { useCallback, useEffect, useState } from 'react'
import { isTossupError, type TossupError } from '../errors.ts'
import type { Campaign, CampaignProgress, PollListItem } from '../openapi.ts'
import type { Visitor } from '../visitor.ts'
import { useVisitor } from './context.ts'
import { useLatest } from './use-latest.ts'

export interface UseCampaignOptions {
  /** Data that your server has read already. */
  readonly initialCampaign?: Campaign | undefined
  /** The code of the person who votes, on polls with `admission: 'code'`. */
  readonly code?: string | undefined
  readonly onError?: ((error: TossupError) => void) | undefined
}

export interface CampaignState {
  readonly campaign: Campaign | null
  /** The present poll; null before the campaign is loaded, and where it has none. */
  readonly poll: PollListItem | null
  /** The index of the present poll, from 0. */
  readonly step: number
  /** This visitor's progress; null before the first vote. */
  readonly progress: CampaignProgress | null
  readonly error: TossupError | null
  readonly goTo: (step: number) => void
  /** Reads the visitor's progress again, after each vote. */
  readonly refresh: () => Promise<CampaignProgress | null>
}

/** A campaign and this visitor's progress. Starts at the first poll without a vote. */
export function useCampaign(campaignId: string, options: UseCampaignOptions = {}): CampaignState {
  const visitor = useVisitor()
  const [campaign, setCampaign] = useState<Campaign | null>(options.initialCampaign ?? null)
  const [progress, setProgress] = useState<CampaignProgress | null>(null)
  const [step, goTo] = useState(0)
  const [error, setError] = useState<TossupError | null>(null)
  const given = useLatest(options)
  const { code } = options

  useEffect(() => {
    const leaving = new AbortController()
    const { initialCampaign } = given.current
    const first = initialCampaign?.campaignId === campaignId ? initialCampaign : null
    load(visitor, { campaignId, first, code, signal: leaving.signal }).then(
      (loaded) => {
        setCampaign(loaded.campaign)
        setProgress(loaded.progress)
        goTo(firstOpen(loaded))
      },
      (thrown: unknown) => {
        if (leaving.signal.aborted) return
        if (!isTossupError(thrown)) throw thrown
        setError(thrown)
        given.current.onError?.(thrown)
      },
    )
    return () => leaving.abort()
  }, [visitor, campaignId, code, given])

  const refresh = useCallback(async () => {
    const now = await visitor.getProgress(campaignId, { code })
    setProgress(now)
    return now
  }, [visitor, campaignId, code])

  return { campaign, poll: campaign?.polsts[step] ?? null, step, progress, error, goTo, refresh }
}

interface Loading {
  readonly campaignId: string
  readonly first: Campaign | null
  readonly code: string | undefined
  readonly signal: AbortSignal
}

interface Loaded {
  readonly campaign: Campaign
  readonly progress: CampaignProgress | null
}

async function load(visitor: Visitor, { campaignId, first, code, signal }: Loading): Promise<Loaded> {
  const [campaign, progress] = await Promise.all([
    first ?? visitor.getCampaign(campaignId, { signal }),
    visitor.getProgress(campaignId, { code, signal }),
  ])
  return { campaign, progress }
}

function firstOpen({ campaign, progress }: Loaded): number {
  const current = progress?.currentPoll
  return current
    ? Math.max(
        0,
        campaign.polsts.findIndex(({ id }) => id === current.id),
      )
    : 0
}
