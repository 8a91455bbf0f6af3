import type { Ask, PollData, Reply, TestBrand, TestService } from './service.ts'

export const HOUR = 3_600_000

/** An instant relative to the real present, as bodies accept it. */
export const fromNow = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString()

/** An option's placement of its picture, by default. */
export const CENTRED = { fit: 'cover', focusX: 0.5, focusY: 0.5 }

export const minimalPoll = { title: 'Tea or coffee?', optionA: { label: 'Tea' }, optionB: { label: 'Coffee' } }

/** Every reference that a `{slug}` path accepts for a poll. */
export const identifiersOf = ({ slug, shortId, id }: PollData): string[] => [slug, shortId, id, id.toUpperCase()]

/** The fields that a refusal reports, as `path code`. */
export const problemsOf = ({ body }: Reply): string[] =>
  (body.error.details['fields'] as { path: string; code: string }[]).map(({ path, code }) => `${path} ${code}`)

export const patchPoll = (service: TestService, brand: Pick<TestBrand, 'token'>, poll: string, json: unknown) =>
  service.write<PollData>('PATCH', `brands/me/polls/${poll}`, { token: brand.token, json })

export const deletePoll = (service: TestService, brand: Pick<TestBrand, 'token'>, poll: string) =>
  service.write('DELETE', `brands/me/polls/${poll}`, { token: brand.token })

export async function ownPoll(service: TestService, brand: Pick<TestBrand, 'token'>, poll: string): Promise<PollData> {
  const reply = await service.get<PollData>(`brands/me/polls/${poll}`, { token: brand.token })
  if (reply.status !== 200) throw new Error(`no own poll: ${reply.text}`)
  return reply.body.data
}

interface Walk {
  readonly ask?: Ask
  readonly limit: number
}

/** A whole list, page by page. Every page but the last must be full. */
export async function everyPage<Item = PollData>(
  service: TestService,
  path: string,
  { ask = {}, limit }: Walk,
): Promise<Item[]> {
  const items: Item[] = []
  const first = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
  for (let next: string | null = first; next !== null; ) {
    const { status, text, body, headers }: Reply<Item[]> = await service.get<Item[]>(next, ask)
    if (status !== 200) throw new Error(`no page: ${text}`)
    if (body.hasMore !== (body.nextCursor !== null)) throw new Error('hasMore and nextCursor disagree')
    if (body.hasMore && body.data.length !== limit) throw new Error('a page in the middle is not full')
    items.push(...body.data)
    next = body.nextCursor === null ? null : linkOf(headers)
    if ((next === null) !== (body.nextCursor === null)) throw new Error('Link and nextCursor disagree')
  }
  return items
}

function linkOf(headers: Headers): string | null {
  return /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
}
