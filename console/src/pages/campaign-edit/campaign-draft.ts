import type { CampaignCreate, CampaignUpdate, OwnedCampaign, OwnedPoll, Tossup } from '../../../../sdk/src/index.ts'
import { changedTime, localOf, utcOf } from '../../parts/local-time.ts'
import type { FieldErrors } from '../../parts/messages/messages.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { words } from '../../words/words.ts'
import { listProblem } from '../codes/list-problem.ts'

export interface Member {
  readonly id: string
  readonly title: string
  /** Visitors do not see it. */
  readonly isWithheld: boolean
  readonly isArchived: boolean
  /** Null where everybody may vote. */
  readonly codeListId: string | null
  readonly hasVotes: boolean
}

export type MemberPoll = Pick<OwnedPoll, 'id' | 'title' | 'isDraft' | 'archivedAt' | 'codeListId' | 'tallies'>

export const memberOf = ({ id, title, isDraft, archivedAt, codeListId, tallies }: MemberPoll): Member => ({
  id,
  title,
  isWithheld: isDraft || archivedAt !== null,
  isArchived: archivedAt !== null,
  codeListId,
  hasVotes: tallies.total > 0,
})

/** A campaign with its polls as their owner sees them. */
export interface EditedCampaign {
  readonly campaign: OwnedCampaign
  readonly members: readonly Member[]
}

/** A list of polls is read until it has named all of them. */
export async function readEdited(tossup: Tossup, id: string, signal: AbortSignal): Promise<EditedCampaign> {
  const campaign = await tossup.getOwnCampaign(id, { signal })
  const wanted = new Set(campaign.polsts.map((poll) => poll.id))
  const found = new Map<string, Member>()
  for await (const poll of tossup.listOwnPolls({ limit: 100 }, { signal })) {
    if (wanted.has(poll.id)) found.set(poll.id, memberOf(poll))
    if (found.size === wanted.size) break
  }
  return { campaign, members: campaign.polsts.flatMap((poll) => found.get(poll.id) ?? []) }
}

/** The campaign as it stands in the form: times are local, as inputs want them. */
export interface CampaignDraft {
  readonly title: string
  readonly description: string
  readonly polls: readonly Member[]
  readonly isPublic: boolean
  /** The list of all of its polls: null where everybody may vote. */
  readonly codeListId: string | null
  readonly opensAt: string
  readonly closesAt: string
}

export const NEW_DRAFT: CampaignDraft = {
  title: '',
  description: '',
  polls: [],
  isPublic: true,
  codeListId: null,
  opensAt: '',
  closesAt: '',
}

export const draftOf = ({ campaign, members }: EditedCampaign): CampaignDraft => ({
  title: campaign.title,
  description: campaign.description ?? '',
  polls: members,
  isPublic: campaign.isPublic,
  codeListId: members[0]?.codeListId ?? null,
  opensAt: localOf(campaign.opensAt),
  closesAt: localOf(campaign.closesAt),
})

/** A poll with votes keeps its list, and the others follow it. */
export const votedPoll = ({ polls }: Pick<CampaignDraft, 'polls'>): Member | undefined =>
  polls.find(({ hasVotes }) => hasVotes)

export function listOf(draft: Pick<CampaignDraft, 'polls' | 'codeListId'>): string | null {
  const voted = votedPoll(draft)
  return voted ? voted.codeListId : draft.codeListId
}

const idsOf = (polls: readonly { readonly id: string }[]): string[] => polls.map(({ id }) => id)

const common = ({ title, description, isPublic }: CampaignDraft) => ({
  title: title.trim(),
  description: description.trim() || null,
  isPublic,
})

export const createBody = (draft: CampaignDraft): CampaignCreate => ({
  ...common(draft),
  polstIds: idsOf(draft.polls),
  opensAt: utcOf(draft.opensAt),
  closesAt: utcOf(draft.closesAt),
})

/** An unchanged list is left out: it may hold a poll that was archived since, which a new list may not name. */
export function updateBody(draft: CampaignDraft, before: OwnedCampaign): CampaignUpdate {
  const polstIds = idsOf(draft.polls)
  const isSame = polstIds.join() === idsOf(before.polsts).join()
  return {
    ...common(draft),
    ...(isSame ? {} : { polstIds }),
    opensAt: changedTime(draft.opensAt, before.opensAt),
    closesAt: changedTime(draft.closesAt, before.closesAt),
  }
}

/** Client-side validation errors, keyed by the API's field paths. */
export function problemsOf(draft: CampaignDraft): FieldErrors {
  const { title, polls, opensAt, closesAt } = draft
  const { edit } = words()
  return {
    ...(title.trim() ? {} : { title: edit.required }),
    ...(polls.length > 0 ? {} : { polstIds: campaignWords().needsPoll }),
    ...(opensAt && closesAt && opensAt >= closesAt ? { opensAt: edit.order } : {}),
    ...listProblem(listOf(draft)),
  }
}
