import type { CampaignCreate, CampaignUpdate, OwnedCampaign } from '../../../../sdk/src/index.ts'
import { changedTime, localOf, utcOf } from '../../parts/local-time.ts'
import { campaignWords } from '../../words/campaign-words.ts'
import { words } from '../../words/words.ts'

export interface Member {
  readonly id: string
  readonly title: string
  /** Visitors do not see it. */
  readonly isWithheld: boolean
}

/** The campaign as it stands in the form: times are local, as inputs want them. */
export interface CampaignDraft {
  readonly title: string
  readonly description: string
  readonly polls: readonly Member[]
  readonly isPublic: boolean
  readonly opensAt: string
  readonly closesAt: string
}

export const NEW_DRAFT: CampaignDraft = {
  title: '',
  description: '',
  polls: [],
  isPublic: true,
  opensAt: '',
  closesAt: '',
}

export const draftOf = (campaign: OwnedCampaign): CampaignDraft => ({
  title: campaign.title,
  description: campaign.description ?? '',
  polls: campaign.polsts.map(({ id, title }) => ({ id, title, isWithheld: campaign.withheldPolstIds.includes(id) })),
  isPublic: campaign.isPublic,
  opensAt: localOf(campaign.opensAt),
  closesAt: localOf(campaign.closesAt),
})

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

export type FieldErrors = Readonly<Record<string, string>>

/** Client-side validation errors, keyed by the API's field paths. */
export function problemsOf({ title, polls, opensAt, closesAt }: CampaignDraft): FieldErrors {
  const { edit } = words()
  return {
    ...(title.trim() ? {} : { title: edit.required }),
    ...(polls.length > 0 ? {} : { polstIds: campaignWords().needsPoll }),
    ...(opensAt && closesAt && opensAt >= closesAt ? { opensAt: edit.order } : {}),
  }
}
