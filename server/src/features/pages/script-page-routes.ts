import type { PublicPoll } from '../../events/resources/poll.ts'
import { publicCaching } from '../../http/answers/caching.ts'
import { assetReply, type Reply } from '../../http/answers/reply.ts'
import type { Incoming } from '../../http/incoming.ts'
import { firstParameters } from '../../http/paging.ts'
import { outside, type Route, route } from '../../http/route.ts'
import { checkPage } from './check/check-page.ts'
import type { FindSubjects, Found } from './find-subjects.ts'
import type { KeptPages } from './kept-pages.ts'
import { type Asking, askingOf, campaignName, contentPolicy, type Page, pageAnswers, pollName } from './page.ts'
import { type StageLooks, stagePage } from './stage/stage-page.ts'

type What = 'poll' | 'campaign'

interface Sources {
  readonly find: FindSubjects
  readonly pages: KeptPages
  readonly origins: readonly string[]
  /** The page for a poll or a campaign that cannot be seen. */
  readonly missing: (asking: Asking, what: What, reference: string) => Promise<Reply>
  /** The page for a poll whose votes cannot be counted again. */
  readonly uncounted: (asking: Asking, poll: PublicPoll) => Reply
}

interface Given<Params> {
  readonly incoming: Incoming
  readonly params: Params
  readonly now: number
}

function stageLooksOf({ search }: Incoming): StageLooks {
  const { given } = firstParameters(search)
  return { isClear: given.get('ground') === 'none', isConcealed: given.get('results') === 'hidden' }
}

/** Pages that a script of their own brings to life. Each shows what every visitor may see, and nothing more. */
export function scriptPageRoutes({ find, pages, origins, missing, uncounted }: Sources): Route[] {
  function reply(
    found: Found,
    { asking, now, name }: { asking: Asking; now: number; name: readonly unknown[] },
    make: () => Page,
  ): Reply {
    const key = JSON.stringify([...name, found.name, asking.looks])
    const { asset, policy } = pages.find(key, found.source, () => {
      const page = make()
      return { ...page, policy: contentPolicy({ ...page, origins, frameAncestors: ["'self'"] }) }
    })
    return assetReply(asset, {
      'Content-Type': 'text/html; charset=utf-8',
      ...asking.vary,
      ...publicCaching(now, { changesAt: found.changesAt }),
      'Content-Security-Policy': policy,
    })
  }

  const stage =
    <Params>(what: What, referenceOf: (params: Params) => string) =>
    async ({ incoming, params, now }: Given<Params>): Promise<Reply> => {
      const asking = askingOf(incoming)
      const reference = referenceOf(params)
      const found = await find[what](reference, now)
      if (!found) return missing(asking, what, reference)
      const looks = stageLooksOf(incoming)
      const name = ['stage', looks]
      return reply(found, { asking, now, name }, () => stagePage(found.subject(asking.looks), asking.looks, looks))
    }

  async function check({ incoming, params: { slug }, now }: Given<{ slug: string }>): Promise<Reply> {
    const asking = askingOf(incoming)
    const found = await find.poll(slug, now)
    const poll = found?.data()
    if (!found || !poll) return missing(asking, 'poll', slug)
    // A poll with hidden results has no public log.
    if (poll.tallies.hidden) return uncounted(asking, poll)
    const { looks } = asking
    return reply(found, { asking, now, name: ['check'] }, () => checkPage(poll, found.subject(looks), looks))
  }

  return [
    route({
      ...outside,
      path: '/p/{slug}/stage',
      name: 'getPollStage',
      params: pollName,
      answers: pageAnswers,
      handle: stage('poll', ({ slug }: { slug: string }) => slug),
    }),
    route({
      ...outside,
      path: '/c/{campaignId}/stage',
      name: 'getCampaignStage',
      params: campaignName,
      answers: pageAnswers,
      handle: stage('campaign', ({ campaignId }: { campaignId: string }) => campaignId),
    }),
    route({
      ...outside,
      path: '/p/{slug}/check',
      name: 'getPollCheck',
      params: pollName,
      answers: pageAnswers,
      handle: check,
    }),
  ]
}
