import type { Ask, PollData, TestBrand, TestService } from './service.ts'

export interface CodeListData {
  readonly codeListId: string
  readonly name: string
  readonly issued: number
  readonly used: number
  readonly revoked: number
  readonly polls: number
  readonly createdAt: string
  readonly updatedAt: string
}

type Owner = Pick<TestBrand, 'token'>

export const LISTS = 'brands/me/code-lists'

export async function createCodeList(service: TestService, { token }: Owner, name: string): Promise<CodeListData> {
  const reply = await service.write<CodeListData>('POST', LISTS, { token, json: { name } })
  if (reply.status !== 201) throw new Error(`no code list: ${reply.text}`)
  return reply.body.data
}

export async function readCodeList(service: TestService, { token }: Owner, id: string): Promise<CodeListData> {
  return (await service.get<CodeListData>(`${LISTS}/${id}`, { token })).body.data
}

export async function issueCodes(
  service: TestService,
  { token }: Owner,
  { codeListId, count }: { codeListId: string; count: number },
): Promise<string[]> {
  const path = `${LISTS}/${codeListId}/codes`
  const reply = await service.write<{ codes: string[] }>('POST', path, { token, json: { count } })
  if (reply.status !== 201) throw new Error(`no codes: ${reply.text}`)
  return reply.body.data.codes
}

export const voteByCode = (
  service: TestService,
  { slug }: Pick<PollData, 'slug'>,
  { code, option = 'A', headers = {}, ...ask }: Ask & { code: string; option?: string },
) => service.post(`polls/${slug}/votes`, { ...ask, headers: { ...headers, 'X-Vote-Code': code }, json: { option } })
