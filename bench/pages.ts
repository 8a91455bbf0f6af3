import { expectStatus, OwnerClient } from '../server/test/child-service.ts'
import { median } from './statistics.ts'
import { firstFeedPage, type TossupSubject } from './subjects.ts'

const DEEP = 500
const LOOKS = 60

/** In milliseconds, the median of many requests. */
export interface PageTimes {
  readonly list: string
  readonly first: number
  readonly second: number
  readonly deep: number
}

interface List {
  readonly list: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** The number of polls for which the 500th page of every list is full. */
export const POLLS_FOR_PAGES = 15_000

/** One request at a time, alternating between the three pages. The voters' list is included if voters exist. */
export async function timePages({ url, owner }: TossupSubject): Promise<PageTimes[]> {
  const { headers } = await OwnerClient.connect(url, owner)
  const lists: List[] = [
    { list: 'feed', url: url + firstFeedPage, headers: {} },
    { list: 'own polls', url: `${url}/api/rest/v1/brands/me/polls`, headers },
  ]
  const times: PageTimes[] = []
  for (const list of lists) times.push(await timeList(list))
  return times
}

export async function timeList({ list, url, headers }: List): Promise<PageTimes> {
  const [first = 0, second = 0, deep = 0] = await timeUrls(await pageUrls(url, headers), headers)
  return { list, first, second, deep }
}

/** Requests each of them in turn. */
export async function timeUrls(urls: readonly string[], headers: Readonly<Record<string, string>>): Promise<number[]> {
  const looks = urls.map((): number[] => [])
  for (let look = 0; look < LOOKS; look++) {
    for (const [i, page] of urls.entries()) {
      const startedAt = performance.now()
      await (await fetch(page, { headers })).arrayBuffer()
      looks[i]?.push(performance.now() - startedAt)
    }
  }
  return looks.map(median)
}

/** The URLs of the first, second and 500th page, found by following `nextCursor` as a client would. */
async function pageUrls(url: string, headers: Readonly<Record<string, string>>): Promise<string[]> {
  const urls = [url]
  while (urls.length < DEEP) {
    const page = (await expectStatus(await fetch(urls.at(-1) ?? url, { headers }), 200)) as {
      nextCursor: string | null
    }
    if (page.nextCursor === null) throw new Error(`${url} has only ${urls.length} pages`)
    urls.push(`${url}?cursor=${encodeURIComponent(page.nextCursor)}`)
  }
  return [url, urls[1] ?? '', urls[DEEP - 1] ?? '']
}
