import type { UploadSlot } from '../src/features/uploads/files.ts'
import type { ContentType } from '../src/files/file-keys.ts'
import type { Ask, Reply, TestBrand, TestService } from './service.ts'

export interface TicketData {
  uploadUrl: string
  key: string
  publicUrl: string
  expiresIn: number
  method: string
  headers: Record<string, string>
}

export interface UploadedData {
  key: string
  publicUrl: string
  contentType: string
  byteSize: number
  width: number
  height: number
}

export interface Wanted {
  readonly slot: UploadSlot
  readonly contentType: ContentType
  readonly byteSize?: number
}

type Holder = Pick<TestBrand, 'token'>

/** A ticket for a poll needs a poll: creates one unless one is given. */
export async function askTicket(
  service: TestService,
  brand: Holder,
  { poll, ...json }: Wanted & { poll?: string },
): Promise<Reply<TicketData>> {
  const isPoll = ['optionA', 'optionB', 'combined'].includes(json.slot)
  const slug = isPoll ? (poll ?? (await service.createPoll(brand)).slug) : ''
  const path = isPoll ? `brands/me/polls/${slug}/images/upload-url` : 'brands/me/theme/assets/upload-url'
  return service.write<TicketData>('POST', path, { token: brand.token, json })
}

export async function newTicket(service: TestService, brand: Holder, wanted: Wanted): Promise<TicketData> {
  const reply = await askTicket(service, brand, wanted)
  if (reply.status !== 200) throw new Error(`no ticket: ${reply.text}`)
  return reply.body.data
}

/** Without the host: PUBLIC_URL is arbitrary in tests, and the service has a port of its own. */
export const pathOf = (url: string): string => url.replace(/^https?:\/\/[^/]+/, '')

export const putBytes = (
  service: TestService,
  ticket: Pick<TicketData, 'uploadUrl' | 'headers'>,
  raw: NonNullable<Ask['raw']>,
  headers: Record<string, string> = {},
): Promise<Reply<UploadedData>> =>
  service.request<UploadedData>('PUT', pathOf(ticket.uploadUrl), { raw, headers: { ...ticket.headers, ...headers } })

/** A complete upload: a ticket, the bytes, and the address under which they can be shown. */
export async function upload(
  service: TestService,
  brand: Holder,
  { bytes, ...wanted }: Wanted & { bytes: Uint8Array },
): Promise<UploadedData> {
  const isAsset = !['optionA', 'optionB', 'combined'].includes(wanted.slot)
  const ticket = await newTicket(service, brand, isAsset ? { byteSize: bytes.length, ...wanted } : wanted)
  const reply = await putBytes(service, ticket, bytes)
  if (reply.status !== 200) throw new Error(`not uploaded: ${reply.text}`)
  return reply.body.data
}

/** The keys of the stored files; none after a refused upload. */
export async function storedKeys(service: TestService): Promise<string[]> {
  const rows = await service.db.selectFrom('files').select('key').orderBy('key').execute()
  return rows.map(({ key }) => key)
}
