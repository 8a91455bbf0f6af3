/** A second, simple implementation of campaigns, polls and votes, with which the service is compared. */

export interface ModelVote {
  readonly option: 'A' | 'B'
  readonly votedAt: string
}

export interface ModelPoll {
  readonly id: string
  readonly slug: string
  isArchived: boolean
  isDeleted: boolean
  readonly votes: Map<number, ModelVote>
}

export interface ModelCampaign {
  readonly id: string
  polls: readonly ModelPoll[]
  isDeleted: boolean
}

const isStep = (poll: ModelPoll): boolean => !poll.isArchived && !poll.isDeleted

export const stepsOf = ({ polls }: ModelCampaign): ModelPoll[] => polls.filter(isStep)

export const ownedPolls = ({ polls }: ModelCampaign): ModelPoll[] => polls.filter((poll) => !poll.isDeleted)

/** Empty if the campaign may contain all of them. */
export const foreignIds = (polls: readonly ModelPoll[]): string[] =>
  polls.filter((poll) => !isStep(poll)).map(({ id }) => id)

export function progressOf(campaign: ModelCampaign, device: number) {
  const steps = stepsOf(campaign)
  const open = steps.filter(({ votes }) => !votes.has(device))
  return {
    completedSteps: steps.length - open.length,
    totalSteps: steps.length,
    currentPoll: open[0]?.slug ?? null,
    completed: steps.length > 0 && open.length === 0,
  }
}

/** The record of a device that the brand must see; null for a device without a vote. */
export function recordOf(campaign: ModelCampaign, device: number) {
  const votes = ownedPolls(campaign).flatMap(({ slug, votes: cast }, place) => {
    const vote = cast.get(device)
    return vote ? [{ position: place + 1, slug, ...vote }] : []
  })
  const startedAt = votes.map(({ votedAt }) => votedAt).sort()[0]
  return startedAt === undefined ? null : { startedAt, totalVotes: votes.length, votes }
}
