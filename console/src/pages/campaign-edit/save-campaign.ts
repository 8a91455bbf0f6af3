import { etagOf, type OwnedCampaign, type Tossup } from '../../../../sdk/src/index.ts'
import { type CampaignDraft, createBody, listOf, type Member, updateBody } from './campaign-draft.ts'

interface Saving {
  readonly tossup: Tossup
  readonly draft: CampaignDraft
  /** Null where the campaign is new. */
  readonly before: OwnedCampaign | null
  readonly state: OwnedCampaign['state']
  /** Called with each version, which the next attempt must name. */
  readonly onStored: (campaign: OwnedCampaign) => void
}

/**
 * Writes who can vote to the polls, then the campaign. At each moment the published polls of a campaign have one list, so
 * those that change it leave the campaign meanwhile. None of them has a vote.
 */
export async function saveCampaign({ tossup, draft, before, state, onStored }: Saving): Promise<OwnedCampaign> {
  const list = listOf(draft)
  const changing = draft.polls.filter((poll) => mayChange(poll) && poll.codeListId !== list)
  let current = before
  const own = before?.polsts.map(({ id }) => id) ?? []
  const leaving = changing.filter(({ id }) => own.includes(id))
  if (current && leaving.length > 0) {
    const staying = own.filter((id) => !leaving.some((poll) => poll.id === id))
    // A campaign has a poll at least.
    const polstIds = staying.length > 0 ? staying : own.slice(0, 1)
    current = await tossup.updateCampaign(current.campaignId, { polstIds }, { ifMatch: etagOf(current) })
    onStored(current)
  }
  for (const { id } of changing) await tossup.updatePoll(id, { codeListId: list })
  if (!current) return tossup.createCampaign({ ...createBody(draft), state })
  return tossup.updateCampaign(
    current.campaignId,
    { ...updateBody(draft, current), state },
    // The write before checked the version, and a poll that stayed has changed it since.
    { ifMatch: leaving.length > 0 ? undefined : etagOf(current) },
  )
}

const mayChange = ({ hasVotes, isArchived }: Member): boolean => !hasVotes && !isArchived
