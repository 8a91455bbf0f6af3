import { randomUUID } from 'node:crypto'
import type { PollData, Reply, TestBrand, TestService } from './service.ts'

export interface CampaignData {
  campaignId: string
  title: string
  description: string | null
  polsts: PollData[]
  totalSteps: number
  polstCount: number
  brand: { slug: string; name: string; theme: object }
  status: string
  state: string
  isPublic: boolean
  opensAt: string | null
  closesAt: string | null
  createdAt: string
  updatedAt: string
}

export interface OwnedCampaignData extends CampaignData {
  withheldPolstIds: string[]
  responsesProgress: { isComplete: boolean; votesRead: number; votesToRead: number }
}

export interface ProgressData {
  completedSteps: number
  totalSteps: number
  currentPoll: PollData | null
  completed: boolean
}

type Owner = Pick<TestBrand, 'token'>

export const postCampaign = (
  service: TestService,
  { token }: Owner,
  json: unknown,
): Promise<Reply<OwnedCampaignData>> => service.write<OwnedCampaignData>('POST', 'brands/me/campaigns', { token, json })

export const patchCampaign = (service: TestService, { token }: Owner, id: string, json: unknown) =>
  service.write<OwnedCampaignData>('PATCH', `brands/me/campaigns/${id}`, { token, json })

export const deleteCampaign = (service: TestService, { token }: Owner, id: string) =>
  service.write('DELETE', `brands/me/campaigns/${id}`, { token })

/** With a unique title unless one is given. */
export async function createCampaign(
  service: TestService,
  owner: Owner,
  polls: readonly Pick<PollData, 'id'>[],
  fields: Record<string, unknown> = {},
): Promise<OwnedCampaignData> {
  const json = { title: `Breakfast ${randomUUID()}`, polstIds: polls.map(({ id }) => id), ...fields }
  const reply = await postCampaign(service, owner, json)
  if (reply.status !== 201) throw new Error(`no campaign: ${reply.text}`)
  return reply.body.data
}

export const slugsOf = ({ polsts }: Pick<CampaignData, 'polsts'>): string[] => polsts.map(({ slug }) => slug)
