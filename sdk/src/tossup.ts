import { AppClient, type ExportFormat, type ExportOptions, type PatchOptions, type WriteOptions } from './app-client.ts'
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
  CodeList,
  CodeListCreate,
  CodeListUpdate,
  CodesIssue,
  CodesRevoke,
  Crosstab,
  Funnel,
  Insight,
  IntegrityReport,
  InvitationCreate,
  InvitationWithUrl,
  IssuedCodes,
  MailPreferences,
  MailPreferencesUpdate,
  Member,
  MemberUpdate,
  OwnedCampaign,
  OwnedPoll,
  OwnTheme,
  PollCreate,
  PollImageTicketCreate,
  PollLog,
  PollPreview,
  PollUpdate,
  Respondent,
  ResultsLinkCreate,
  ResultsLinkWithUrl,
  RevokedCodes,
  SourceCounts,
  SourceName,
  SourceNameCreate,
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

  /** The mails about the brand that the calling person gets. */
  getMailPreferences(options?: CallOptions): Promise<MailPreferences> {
    return this.read('GET /brands/me/mail-preferences', {}, options)
  }

  updateMailPreferences(body: MailPreferencesUpdate, options?: WriteOptions): Promise<MailPreferences> {
    return this.write('PATCH /brands/me/mail-preferences', { body }, options)
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

  /** A poll for a newsletter, as HTML and as text. Its links open the poll with an answer prepared, and do not vote. */
  getPollEmail(slug: string, query: QueryOf<'GET /brands/me/polls/{slug}/email'> = {}, options?: CallOptions) {
    return this.read('GET /brands/me/polls/{slug}/email', { params: { slug }, query }, options)
  }

  /** An own poll, drafts and hidden counts included. */
  getOwnPoll(slug: string, options?: CallOptions): Promise<OwnedPoll> {
    return this.read('GET /brands/me/polls/{slug}', { params: { slug } }, options)
  }

  /** A link that shows a draft for an hour. */
  getPollPreview(slug: string, options?: CallOptions): Promise<PollPreview> {
    return this.read('GET /brands/me/polls/{slug}/preview', { params: { slug } }, options)
  }

  /** The log of a poll, also while its results are hidden: its `url` holds a token. */
  getOwnPollLog(slug: string, options?: CallOptions): Promise<PollLog> {
    return this.read('GET /brands/me/polls/{slug}/log', { params: { slug } }, options)
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

  /** How many respondents reached each step of a campaign, and what won it. */
  getFunnel(campaignId: string, options?: CallOptions): Promise<Funnel> {
    return this.read('GET /brands/me/campaigns/{campaignId}/funnel', { params: { campaignId } }, options)
  }

  /** How the respondents of one step of a campaign chose on another. */
  getCrosstab(
    campaignId: string,
    query: QueryOf<'GET /brands/me/campaigns/{campaignId}/crosstab'>,
    options?: CallOptions,
  ): Promise<Crosstab> {
    return this.read('GET /brands/me/campaigns/{campaignId}/crosstab', { params: { campaignId }, query }, options)
  }

  /** The counts of a poll with what they mean. */
  getInsight(slug: string, options?: CallOptions): Promise<Insight> {
    return this.read('GET /brands/me/polls/{slug}/insight', { params: { slug } }, options)
  }

  /** All respondents of a campaign as a stream: a vote a row, or with `layout: 'wide'` a respondent. Abort the signal to end it. */
  exportResponses(
    campaignId: string,
    format: ExportFormat,
    { layout = 'long', ...options }: ExportOptions & { layout?: 'long' | 'wide' } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const asked = { format, query: { layout }, ...options }
    return this.export('GET /brands/me/campaigns/{campaignId}/responses', { campaignId }, asked)
  }

  /** The voters of a poll, highest position first. `exportVoters` downloads all of them. */
  listVoters(slug: string, query: QueryOf<'GET /brands/me/polls/{slug}/voters'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/polls/{slug}/voters', { params: { slug }, query, caller: this.owner() }, options)
  }

  /** All voters of a poll as a stream. Abort the signal to end it. */
  exportVoters(slug: string, format: ExportFormat, options?: ExportOptions): Promise<ReadableStream<Uint8Array>> {
    return this.export('GET /brands/me/polls/{slug}/voters', { slug }, { format, ...options })
  }

  /** The results of all polls of the brand, newest first. `exportResults` downloads all of them. */
  listResults(query: QueryOf<'GET /brands/me/results'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/results', { query, caller: this.owner() }, options)
  }

  /** The results of all polls of the brand as a stream. Abort the signal to end it. */
  exportResults(format: ExportFormat, options?: ExportOptions): Promise<ReadableStream<Uint8Array>> {
    return this.export('GET /brands/me/results', {}, { format, ...options })
  }

  /** The brand at a glance. */
  getSummary(query: QueryOf<'GET /brands/me/summary'> = {}, options?: CallOptions): Promise<BrandNumbers> {
    return this.read('GET /brands/me/summary', { query }, options)
  }

  listCodeLists(query: QueryOf<'GET /brands/me/code-lists'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/code-lists', { query, caller: this.owner() }, options)
  }

  createCodeList(body: CodeListCreate, options?: WriteOptions): Promise<CodeList> {
    return this.write('POST /brands/me/code-lists', { body }, options)
  }

  getCodeList(codeListId: string, options?: CallOptions): Promise<CodeList> {
    return this.read('GET /brands/me/code-lists/{codeListId}', { params: { codeListId } }, options)
  }

  updateCodeList(codeListId: string, body: CodeListUpdate, options?: PatchOptions): Promise<CodeList> {
    return this.write('PATCH /brands/me/code-lists/{codeListId}', { params: { codeListId }, body }, options)
  }

  /** Refused while a poll names the list. */
  deleteCodeList(codeListId: string, options?: PatchOptions): Promise<void> {
    return this.write('DELETE /brands/me/code-lists/{codeListId}', { params: { codeListId } }, options)
  }

  /** Only this answer shows the codes. */
  issueCodes(codeListId: string, body: CodesIssue, options?: WriteOptions): Promise<IssuedCodes> {
    return this.write('POST /brands/me/code-lists/{codeListId}/codes', { params: { codeListId }, body }, options)
  }

  /** Votes that were cast with the codes stay. */
  revokeCodes(codeListId: string, body: CodesRevoke, options?: WriteOptions): Promise<RevokedCodes> {
    return this.write('POST /brands/me/code-lists/{codeListId}/codes/revoke', { params: { codeListId }, body }, options)
  }

  listSourceNames(options?: CallOptions): Promise<SourceName[]> {
    return this.read('GET /brands/me/source-names', {}, options)
  }

  /** Declares a source; one that is declared already stays as it is. */
  createSourceName(body: SourceNameCreate, options?: WriteOptions): Promise<SourceName> {
    return this.write('POST /brands/me/source-names', { body }, options)
  }

  deleteSourceName(name: string, options?: WriteOptions): Promise<void> {
    return this.write('DELETE /brands/me/source-names/{name}', { params: { name } }, options)
  }

  /** Where the votes of a poll came from. */
  getPollSources(
    slug: string,
    query: QueryOf<'GET /brands/me/polls/{slug}/sources'> = {},
    options?: CallOptions,
  ): Promise<SourceCounts[]> {
    return this.read('GET /brands/me/polls/{slug}/sources', { params: { slug }, query }, options)
  }

  /** Where the votes on all polls of the brand came from. */
  getBrandSources(query: QueryOf<'GET /brands/me/sources'> = {}, options?: CallOptions): Promise<SourceCounts[]> {
    return this.read('GET /brands/me/sources', { query }, options)
  }

  /** Where the visitors of a campaign came from. */
  getCampaignSources(
    campaignId: string,
    query: QueryOf<'GET /brands/me/campaigns/{campaignId}/sources'> = {},
    options?: CallOptions,
  ): Promise<SourceCounts[]> {
    return this.read('GET /brands/me/campaigns/{campaignId}/sources', { params: { campaignId }, query }, options)
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

  /** The results of a poll as a PNG, to copy or to download. */
  async getPollResultsPicture(
    slug: string,
    query: QueryOf<'GET /brands/me/polls/{slug}/results.png'> = {},
    options?: CallOptions,
  ): Promise<Blob> {
    const outgoing = { params: { slug }, query, headers: { Accept: 'image/png' } }
    const body = await this.stream('GET /brands/me/polls/{slug}/results.png', outgoing, options)
    return new Response(body, { headers: { 'Content-Type': 'image/png' } }).blob()
  }

  /** Links to the results of a poll, without their addresses. */
  listPollResultsLinks(
    slug: string,
    query: QueryOf<'GET /brands/me/polls/{slug}/results-links'> = {},
    options?: CallOptions,
  ) {
    const outgoing = { params: { slug }, query, caller: this.owner() }
    return this.list('GET /brands/me/polls/{slug}/results-links', outgoing, options)
  }

  /** Only this answer shows the address. */
  createPollResultsLink(
    slug: string,
    body: ResultsLinkCreate = {},
    options?: WriteOptions,
  ): Promise<ResultsLinkWithUrl> {
    return this.write('POST /brands/me/polls/{slug}/results-links', { params: { slug }, body }, options)
  }

  deletePollResultsLink(slug: string, linkId: string, options?: WriteOptions): Promise<void> {
    return this.write('DELETE /brands/me/polls/{slug}/results-links/{linkId}', { params: { slug, linkId } }, options)
  }

  /** Links to the results of a campaign, without their addresses. */
  listCampaignResultsLinks(
    campaignId: string,
    query: QueryOf<'GET /brands/me/campaigns/{campaignId}/results-links'> = {},
    options?: CallOptions,
  ) {
    const outgoing = { params: { campaignId }, query, caller: this.owner() }
    return this.list('GET /brands/me/campaigns/{campaignId}/results-links', outgoing, options)
  }

  /** Only this answer shows the address. */
  createCampaignResultsLink(
    campaignId: string,
    body: ResultsLinkCreate = {},
    options?: WriteOptions,
  ): Promise<ResultsLinkWithUrl> {
    return this.write('POST /brands/me/campaigns/{campaignId}/results-links', { params: { campaignId }, body }, options)
  }

  deleteCampaignResultsLink(campaignId: string, linkId: string, options?: WriteOptions): Promise<void> {
    const endpoint = 'DELETE /brands/me/campaigns/{campaignId}/results-links/{linkId}'
    return this.write(endpoint, { params: { campaignId, linkId } }, options)
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

  /**
   * The events of the last 30 days, oldest first. Store the `nextCursor` of the last page: with it the list goes on later.
   *
   * @example
   * for await (const page of tossup.listEvents({ types: 'poll.closed', cursor }).pages()) cursor = page.nextCursor
   */
  listEvents(query: QueryOf<'GET /brands/me/events'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/events', { query, caller: this.owner() }, options)
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

  /** Agents that may act for the brand: your own, or as an owner those of everybody. */
  listAgents(query: QueryOf<'GET /brands/me/agents'> = {}, options?: CallOptions) {
    return this.list('GET /brands/me/agents', { query, caller: this.owner() }, options)
  }

  /** The tokens of the agent stop working at once. */
  endAgent(agentId: string, options?: WriteOptions): Promise<void> {
    return this.write('DELETE /brands/me/agents/{agentId}', { params: { agentId } }, options)
  }

  /** Only this answer shows the new secret. */
  rotateAppSecret(appId: string, body: AppSecretRotation, options?: WriteOptions): Promise<AppWithSecret> {
    return this.write('POST /brands/me/apps/{appId}/rotate-secret', { params: { appId }, body }, options)
  }
}
