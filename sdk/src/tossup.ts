import { AppClient, type ExportFormat, type PatchOptions, type WriteOptions } from './app-client.ts'
import type {
  App,
  AppCreate,
  AppSecretRotation,
  AppUpdate,
  AppWithSecret,
  BrandNumbers,
  BrandProfile,
  BrandUpdate,
  CampaignCreate,
  CampaignUpdate,
  Funnel,
  IntegrityReport,
  InvitationCreate,
  InvitationWithUrl,
  Member,
  MemberUpdate,
  OwnedCampaign,
  OwnedPoll,
  OwnTheme,
  PollCreate,
  PollImageTicketCreate,
  PollPreview,
  PollUpdate,
  Respondent,
  ThemeAssetTicketCreate,
  ThemeUpdate,
  Timeline,
  UploadTicket,
  WebhookCreate,
  WebhookDelivery,
  Webhook as WebhookResource,
  WebhookUpdate,
  WebhookWithSecret,
} from './openapi.ts'
import type { QueryOf } from './visitor.ts'
import type { CallOptions } from './wire/http.ts'
import type { List } from './wire/list.ts'

/** Beside a page of respondents. */
interface ResponsesState {
  readonly responsesProgress: OwnedCampaign['responsesProgress']
  readonly omitted: number
}

/**
 * The whole interface of a service for an app of a brand. Each method has the name of its operation.
 *
 * @example
 * const tossup = new Tossup({
 *   url: 'https://polls.example.com',
 *   auth: { apiKeyId, apiKeySecret, externalDeviceId: 'my-server' },
 * })
 * const poll = await tossup.createPoll({ title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } })
 */
export class Tossup extends AppClient {
  getOwnBrand(options?: CallOptions): Promise<BrandProfile> {
    return this.read('GET /brands/me', {}, options)
  }

  updateBrand(body: BrandUpdate, options?: PatchOptions): Promise<BrandProfile> {
    return this.write('PATCH /brands/me', { body }, options)
  }

  listMembers(query: QueryOf<'GET /brands/me/members'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/members', { query, caller: this.owner() }, options)
  }

  updateMember(memberId: string, body: MemberUpdate, options?: WriteOptions): Promise<Member> {
    return this.write('PATCH /brands/me/members/{memberId}', { params: { memberId }, body }, options)
  }

  removeMember(memberId: string, options?: WriteOptions): Promise<void> {
    return this.write('DELETE /brands/me/members/{memberId}', { params: { memberId } }, options)
  }

  listInvitations(query: QueryOf<'GET /brands/me/invitations'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/invitations', { query, caller: this.owner() }, options)
  }

  createInvitation(body: InvitationCreate, options?: WriteOptions): Promise<InvitationWithUrl> {
    return this.write('POST /brands/me/invitations', { body }, options)
  }

  deleteInvitation(invitationId: string, options?: WriteOptions): Promise<void> {
    return this.write('DELETE /brands/me/invitations/{invitationId}', { params: { invitationId } }, options)
  }

  getOwnTheme(options?: CallOptions): Promise<OwnTheme> {
    return this.read('GET /brands/me/theme', {}, options)
  }

  updateTheme(body: ThemeUpdate, options?: PatchOptions): Promise<OwnTheme> {
    return this.write('PATCH /brands/me/theme', { body }, options)
  }

  listOwnPolls(query: QueryOf<'GET /brands/me/polls'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/polls', { query, caller: this.owner() }, options)
  }

  createPoll(body: PollCreate, options?: WriteOptions): Promise<OwnedPoll> {
    return this.write('POST /brands/me/polls', { body }, options)
  }

  /** An own poll, drafts and hidden counts included. */
  getOwnPoll(slug: string, options?: CallOptions): Promise<OwnedPoll> {
    return this.read('GET /brands/me/polls/{slug}', { params: { slug } }, options)
  }

  /** A link that shows a draft for an hour. */
  getPollPreview(slug: string, options?: CallOptions): Promise<PollPreview> {
    return this.read('GET /brands/me/polls/{slug}/preview', { params: { slug } }, options)
  }

  updatePoll(slug: string, body: PollUpdate, options?: PatchOptions): Promise<OwnedPoll> {
    return this.write('PATCH /brands/me/polls/{slug}', { params: { slug }, body }, options)
  }

  deletePoll(slug: string, options?: PatchOptions): Promise<void> {
    return this.write('DELETE /brands/me/polls/{slug}', { params: { slug } }, options)
  }

  listOwnCampaigns(query: QueryOf<'GET /brands/me/campaigns'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/campaigns', { query, caller: this.owner() }, options)
  }

  createCampaign(body: CampaignCreate, options?: WriteOptions): Promise<OwnedCampaign> {
    return this.write('POST /brands/me/campaigns', { body }, options)
  }

  getOwnCampaign(campaignId: string, options?: CallOptions): Promise<OwnedCampaign> {
    return this.read('GET /brands/me/campaigns/{campaignId}', { params: { campaignId } }, options)
  }

  updateCampaign(campaignId: string, body: CampaignUpdate, options?: PatchOptions): Promise<OwnedCampaign> {
    return this.write('PATCH /brands/me/campaigns/{campaignId}', { params: { campaignId }, body }, options)
  }

  deleteCampaign(campaignId: string, options?: PatchOptions): Promise<void> {
    return this.write('DELETE /brands/me/campaigns/{campaignId}', { params: { campaignId } }, options)
  }

  /**
   * The respondents of a campaign, newest first. `exportResponses` downloads all of them. While a page says that
   * `responsesProgress.isComplete` is false, respondents are missing; `omitted` counts the votes of forgotten devices.
   */
  listResponses(
    campaignId: string,
    query: QueryOf<'GET /brands/me/campaigns/{campaignId}/responses'> = {},
    options?: CallOptions,
  ): List<Respondent, ResponsesState> {
    const outgoing = { params: { campaignId }, query, caller: this.owner() }
    return this.list<'GET /brands/me/campaigns/{campaignId}/responses', ResponsesState>(
      'GET /brands/me/campaigns/{campaignId}/responses',
      outgoing,
      options,
    )
  }

  /** How many respondents reached each step of a campaign. */
  getFunnel(campaignId: string, options?: CallOptions): Promise<Funnel> {
    return this.read('GET /brands/me/campaigns/{campaignId}/funnel', { params: { campaignId } }, options)
  }

  /** All respondents of a campaign as a stream. Abort the signal to end it. */
  exportResponses(
    campaignId: string,
    format: ExportFormat,
    options?: CallOptions,
  ): Promise<ReadableStream<Uint8Array>> {
    return this.export('GET /brands/me/campaigns/{campaignId}/responses', { campaignId }, { format, ...options })
  }

  /** The voters of a poll, highest position first. `exportVoters` downloads all of them. */
  listVoters(slug: string, query: QueryOf<'GET /brands/me/polls/{slug}/voters'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/polls/{slug}/voters', { params: { slug }, query, caller: this.owner() }, options)
  }

  /** All voters of a poll as a stream. Abort the signal to end it. */
  exportVoters(slug: string, format: ExportFormat, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.export('GET /brands/me/polls/{slug}/voters', { slug }, { format, ...options })
  }

  /** The brand at a glance. */
  getSummary(query: QueryOf<'GET /brands/me/summary'> = {}, options?: CallOptions): Promise<BrandNumbers> {
    return this.read('GET /brands/me/summary', { query }, options)
  }

  /** The votes on a poll by minute, hour, day or week. */
  getTimeline(
    slug: string,
    query: QueryOf<'GET /brands/me/polls/{slug}/timeline'> = {},
    options?: CallOptions,
  ): Promise<Timeline> {
    return this.read('GET /brands/me/polls/{slug}/timeline', { params: { slug }, query }, options)
  }

  /** How conspicuous the votes of a poll are. */
  getIntegrity(
    slug: string,
    query: QueryOf<'GET /brands/me/polls/{slug}/integrity'> = {},
    options?: CallOptions,
  ): Promise<IntegrityReport> {
    return this.read('GET /brands/me/polls/{slug}/integrity', { params: { slug }, query }, options)
  }

  createPollImageTicket(slug: string, body: PollImageTicketCreate, options?: WriteOptions): Promise<UploadTicket> {
    return this.write('POST /brands/me/polls/{slug}/images/upload-url', { params: { slug }, body }, options)
  }

  createThemeAssetTicket(body: ThemeAssetTicketCreate, options?: WriteOptions): Promise<UploadTicket> {
    return this.write('POST /brands/me/theme/assets/upload-url', { body }, options)
  }

  listWebhooks(query: QueryOf<'GET /brands/me/webhooks'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/webhooks', { query, caller: this.owner() }, options)
  }

  /** Only this answer shows the secret. */
  createWebhook(body: WebhookCreate, options?: WriteOptions): Promise<WebhookWithSecret> {
    return this.write('POST /brands/me/webhooks', { body }, options)
  }

  getWebhook(id: string, options?: CallOptions): Promise<WebhookResource> {
    return this.read('GET /brands/me/webhooks/{id}', { params: { id } }, options)
  }

  updateWebhook(id: string, body: WebhookUpdate, options?: PatchOptions): Promise<WebhookResource> {
    return this.write('PATCH /brands/me/webhooks/{id}', { params: { id }, body }, options)
  }

  deleteWebhook(id: string, options?: PatchOptions): Promise<void> {
    return this.write('DELETE /brands/me/webhooks/{id}', { params: { id } }, options)
  }

  /** For 24 hours, deliveries are also signed with the previous secret. */
  rotateWebhookSecret(id: string, options?: WriteOptions): Promise<WebhookWithSecret> {
    return this.write('POST /brands/me/webhooks/{id}/rotate-secret', { params: { id } }, options)
  }

  testWebhook(id: string, options?: WriteOptions): Promise<WebhookDelivery> {
    return this.write('POST /brands/me/webhooks/{id}/test', { params: { id } }, options)
  }

  listWebhookDeliveries(
    id: string,
    query: QueryOf<'GET /brands/me/webhooks/{id}/deliveries'> = {},
    options?: CallOptions,
  ) {
    return this.list(
      'GET /brands/me/webhooks/{id}/deliveries',
      { params: { id }, query, caller: this.owner() },
      options,
    )
  }

  redeliverWebhookDelivery(id: string, deliveryId: string, options?: WriteOptions): Promise<WebhookDelivery> {
    const params = { id, deliveryId }
    return this.write('POST /brands/me/webhooks/{id}/deliveries/{deliveryId}/redeliver', { params }, options)
  }

  /** Who changed what, newest first. `exportActivity` downloads all of it. */
  listActivity(query: QueryOf<'GET /brands/me/activity'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/activity', { query, caller: this.owner() }, options)
  }

  /** The whole activity as a stream. Abort the signal to end it. */
  exportActivity(format: ExportFormat, options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.export('GET /brands/me/activity', {}, { format, ...options })
  }

  /** The apps of the brand and their keys. Like every operation on apps, for the token of an owner. */
  listApps(query: QueryOf<'GET /brands/me/apps'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/apps', { query, caller: this.owner() }, options)
  }

  /** Only this answer shows the secret. */
  createApp(body: AppCreate, options?: WriteOptions): Promise<AppWithSecret> {
    return this.write('POST /brands/me/apps', { body }, options)
  }

  updateApp(appId: string, body: AppUpdate, options?: WriteOptions): Promise<App> {
    return this.write('PATCH /brands/me/apps/{appId}', { params: { appId }, body }, options)
  }

  /** The key of the app and all its tokens stop working at once. */
  revokeApp(appId: string, options?: WriteOptions): Promise<void> {
    return this.write('DELETE /brands/me/apps/{appId}', { params: { appId } }, options)
  }

  /** Only this answer shows the new secret. */
  rotateAppSecret(appId: string, body: AppSecretRotation, options?: WriteOptions): Promise<AppWithSecret> {
    return this.write('POST /brands/me/apps/{appId}/rotate-secret', { params: { appId }, body }, options)
  }
}
