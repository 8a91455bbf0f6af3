import { randomUUID } from 'node:crypto'
import { createHttpApp } from '../src/app/app.ts'
import { allRoutes } from '../src/app/routes.ts'
import { ScheduledBackups } from '../src/backup/scheduled-backups.ts'
import { Jobs } from '../src/base/work/jobs.ts'
import type { VoteStore } from '../src/db/vote-store.ts'
import { IntegrityWatch } from '../src/features/analytics/integrity/integrity-watch.ts'
import { ViewCounts } from '../src/features/analytics/sources/view-counts.ts'
import { PublicCampaigns } from '../src/features/campaigns/public-campaigns.ts'
import { KeptPages } from '../src/features/pages/kept-pages.ts'
import { Mailer } from '../src/features/people/mail/mailer.ts'
import { Popularity } from '../src/features/polls/popularity.ts'
import { FeedSnapshots } from '../src/features/polls/snapshots/feed-snapshots.ts'
import { PollKeys } from '../src/features/polls/snapshots/poll-keys.ts'
import { PollSnapshots } from '../src/features/polls/snapshots/poll-snapshots.ts'
import { TallyStreams } from '../src/features/polls/streams/tally-streams.ts'
import { Ledger } from '../src/features/votes/ledger.ts'
import { TallyAuditor } from '../src/features/votes/tally-auditor.ts'
import { DeliveryBacklog } from '../src/features/webhooks/sending/queue.ts'
import { checkAgainstOpenApi } from './openapi-check.ts'
import { LOCAL } from './peers.ts'
import type { TestService } from './service.ts'

interface Bounds {
  readonly largestGroup?: number
  readonly longestQueue?: number
  readonly longestWaitMs?: number
}

/** A second application over the same database, with another way to commit a group of votes. */
export function withOtherVotes(service: TestService, commit: VoteStore['commit'], bounds: Bounds = {}) {
  const { engine, log } = service.deps
  const votes: VoteStore = { ...engine.votes, commit }
  const told = { onCommitted: () => undefined, onUncertain: () => undefined }
  const ledger = new Ledger({ engine: { ...engine, votes }, log, ...told, ...bounds })
  const snapshots = new PollSnapshots(service.deps)
  const feeds = new FeedSnapshots(service.deps, snapshots)
  const streams = new TallyStreams(service.deps, snapshots)
  const campaigns = new PublicCampaigns(service.deps, snapshots)
  const polls = { pollKeys: new PollKeys(engine.db), snapshots, feeds, campaigns, pages: new KeptPages(), streams }
  const watch = new IntegrityWatch(service.deps)
  const mailer = new Mailer(service.deps.config, log)
  const parts = {
    auditor: new TallyAuditor(service.deps),
    backlog: new DeliveryBacklog(engine.db),
    backups: new ScheduledBackups(service.deps),
    jobs: new Jobs(service.deps, []),
  }
  const popularity = new Popularity(engine)
  const routes = allRoutes(service.deps, {
    instance: 'another',
    ledger,
    watch,
    views: new ViewCounts(service.deps),
    mailer,
    popularity,
    service: parts,
    ...polls,
  })
  const app = createHttpApp(service.deps, routes)

  async function vote(slug: string, device: string = randomUUID()) {
    const path = `/api/rest/v1/polls/${slug}/votes`
    const headers = { 'Content-Type': 'application/json', 'X-Device-Id': device }
    const request = new Request(`${service.service.url}${path}`, { method: 'POST', headers, body: '{"option":"A"}' })
    const answer = await app.fetch(request, LOCAL)
    const text = await answer.text()
    checkAgainstOpenApi('POST', path, { status: answer.status, headers: answer.headers, text })
    return { status: answer.status, headers: answer.headers, body: JSON.parse(text) }
  }

  return { app, ledger, vote }
}
