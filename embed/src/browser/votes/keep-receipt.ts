import { entryOf } from '../../../../sdk/src/verify/entry.ts'
import type { Choice } from '../../poll-view.ts'
import { html } from '../../render/html.ts'
import { isSet } from '../../theme/looks.ts'
import { langOf, wordsOf } from '../../words.ts'
import { API, addressOf } from '../address-of.ts'
import { type CodePart, load } from '../parts.ts'
import { patch } from '../patch.ts'
import { type ServedPoll, voter } from '../service.ts'
import { pageStore } from './page-store.ts'
import type { PollState } from './poll-model.ts'
import { type KeptReceipt, MOST_RECEIPTS, RECEIPTS_KEY, receiptKept, receiptsIn } from './receipts.ts'
import { hasVotedOn } from './voted-polls.ts'

/** The vote is on its way, or has just arrived: nothing waits for its receipt. */
const WAITS_MS = [500, 1_000, 2_000, 4_000, 8_000]

const kept = async (pollId: string): Promise<KeptReceipt | null> =>
  receiptKept(await pageStore.getItem(RECEIPTS_KEY), pollId)

const asked = new Map<string, Promise<KeptReceipt | null>>()

/** Asks for the receipt of a vote once, and keeps entry and nonce. Null where there is none, as for a vote that was refused. */
export function keepReceipt(pollId: string, option: Choice, code = ''): Promise<KeptReceipt | null> {
  const name = `${pollId} ${code}`
  const asking = asked.get(name) ?? find(pollId, { option, code }).catch(() => null)
  asked.set(name, asking)
  return asking
}

interface OwnVote {
  readonly option: Choice
  /** Empty on a poll that asks for none. */
  readonly code: string
}

async function find(pollId: string, { option, code }: OwnVote): Promise<KeptReceipt | null> {
  // The one that is kept may be that of another code.
  const known = code ? null : await kept(pollId)
  if (known) return known
  for (const wait of WAITS_MS) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    const nonce = (await hasVotedOn(pollId)) && (await readNonce(pollId, code))
    // The option is the one that was pressed here: the service could name another.
    const entry = nonce && entryOf(option, nonce)
    if (!nonce || !entry) continue
    const receipt = [pollId, entry, nonce] as const
    const others = receiptsIn(await pageStore.getItem(RECEIPTS_KEY)).filter(([poll]) => poll !== pollId)
    await pageStore.setItem(RECEIPTS_KEY, JSON.stringify([...others, receipt].slice(-MOST_RECEIPTS)))
    return receipt
  }
  return null
}

async function readNonce(pollId: string, code: string): Promise<string | null> {
  const device = (await (await voter.knownCaller({}))?.headers()) ?? null
  if (!device) return null
  const headers = { ...device, ...(code && { 'X-Vote-Code': code }) }
  const init = { __proto__: null, headers, credentials: 'omit' } as RequestInit
  const response = await fetch(`${API}/polls/${pollId}/votes/me/receipt`, init)
  return response.ok ? ((await response.json()) as { data: { nonce: string } }).data.nonce : null
}

/** Only a result that everybody can see has a public log. */
const hasLog = ({ tallies, resultsVisibility, status }: ServedPoll): boolean =>
  !tallies.hidden && (resultsVisibility === 'always' || (resultsVisibility === 'after_close' && status === 'closed'))

async function receiptOf(
  element: Element,
  { id, admission, brand }: ServedPoll,
  vote: Choice,
): Promise<KeptReceipt | null> {
  if (admission !== 'code') return keepReceipt(id, vote)
  const { codeOf } = await load<CodePart>('code')
  const code = codeOf(element, brand.slug)
  return code ? keepReceipt(id, vote, code) : null
}

/** Keeps the receipt of a vote, and puts a link below the result of a single poll. */
export async function offerCheck(place: Element, { poll, vote }: PollState): Promise<void> {
  const element = (place.getRootNode() as ShadowRoot).host as (Element & { readonly language?: string }) | undefined
  if (!poll || !element) return
  // Links of a kiosk lead nowhere, and nothing is left there of a person who has voted.
  if (poll.admission === 'code' && isSet(element.getAttribute('kiosk'))) return
  const receipt = vote ? await receiptOf(element, poll, vote) : null
  const status = place.querySelector('.status')
  const { localName, language = '' } = element
  // A poll of a list or a campaign has no room for it.
  if (!status || localName !== 'tossup-poll' || !poll.shortId || !hasLog(poll)) return
  const lang = langOf(language)
  const [, entry = '', nonce = ''] = receipt ?? []
  // A page of another site has a storage of its own. Behind the `#`, no server sees the receipt.
  const handed = receipt && location.origin !== voter.url ? `#vote=${entry.split(' ')[1]}.${nonce}` : ''
  const href = `${addressOf(`/p/${poll.shortId}/check?lang=${lang}`)}${handed}`
  const { checkCount } = wordsOf(lang)
  const link = status.querySelector('em') ?? status.appendChild(document.createElement('em'))
  link.className = 'check-count'
  patch(
    link,
    html`<a class="home" href="${href}" target="_blank" rel="noopener" title="${checkCount}">${checkCount}</a>`.toString(),
  )
}
