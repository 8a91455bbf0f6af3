import { Anchor, Badge, Button, Paper, Stack, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { lazyPart } from '../../parts/lazy-part.ts'
import { BackTo, Page, PendingPage } from '../../parts/page.tsx'
import { DraftPreview } from '../../parts/polls/draft-preview.tsx'
import { StateBadge, stateOf } from '../../parts/polls/poll-parts.tsx'
import { PublishedNote, wasPublished } from '../../parts/results/published-note.tsx'
import { Sources } from '../../parts/results/sources.tsx'
import { Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { moment, words } from '../../words/words.ts'
import { ActivityList } from '../activity/activity-list.tsx'
import { IntegrityReport } from './integrity-report.tsx'
import { LiveSplit } from './live-split.tsx'
import { OnDemand } from './on-demand.tsx'
import { OrderEffect } from './order-effect.tsx'
import { PollActions } from './poll-actions.tsx'
import { type PollInView, pollKey, usePoll } from './use-poll.ts'

const SharePanel = lazyPart(async () => (await import('./share-panel.tsx')).SharePanel)
const ResultsLinks = lazyPart(async () => (await import('../../parts/results/results-links.tsx')).ResultsLinks)
const VoterList = lazyPart(async () => (await import('./voter-list.tsx')).VoterList)

export function PollPage() {
  const { poll: id = '' } = useParams({ strict: false })
  const poll = usePoll(id)
  if (poll.isPending || poll.error) return <PendingPage title={words().polls.poll} query={poll} />
  return <OnePoll key={poll.data.id} poll={poll.data} />
}

function OnePoll({ poll }: { readonly poll: PollInView }) {
  const { slug, tossup, mayEdit } = useBrand()
  const [shown, setShown] = useState<'share' | 'results' | null>(null)
  // It stays, so that closing it gives the focus back.
  const [isShareLoaded, setIsShareLoaded] = useState(false)
  const close = () => setShown(null)
  const share = () => {
    setIsShareLoaded(true)
    setShown('share')
  }
  // The form that published the poll leads here.
  const [isNoted, setIsNoted] = useState(wasPublished)
  const { poll: its, polls, nav } = words()
  const params = { brand: slug, poll: poll.shortId }
  const state = stateOf(poll)
  const actions = (
    <>
      {state !== 'draft' && (
        <Button variant="default" leftSection={<Icon name="share" size={16} />} onClick={share}>
          {its.share}
        </Button>
      )}
      {mayEdit && (
        <Button
          variant={state === 'draft' ? 'default' : 'filled'}
          renderRoot={(props) => <Link {...props} to="/$brand/polls/$poll/edit" params={params} />}
        >
          {its.edit}
        </Button>
      )}
      <PollActions poll={poll} state={state} onPublished={() => setIsNoted(true)} />
    </>
  )
  const badges = (
    <>
      <StateBadge state={state} />
      {poll.isPrivate && (
        <Badge variant="outline" color="gray" tt="none">
          {polls.private}
        </Badge>
      )}
    </>
  )
  return (
    <Page title={poll.title} badges={badges} above={<BackTo list="polls">{nav.polls}</BackTo>} actions={actions}>
      <Stack gap="md">
        {isNoted && !poll.isDraft && (
          <PublishedNote
            opensAt={poll.status === 'scheduled' ? poll.opensAt : null}
            codeList={poll.codeListId}
            onShare={share}
            onClose={() => setIsNoted(false)}
          />
        )}
        {state === 'draft' && mayEdit && <DraftPreview poll={poll.id} />}
        <LiveSplit poll={poll} state={state} />
        <div className="two-columns">
          <Details poll={poll} />
          {mayEdit && (
            <Paper withBorder p="md" component="section">
              <Title order={2} size="h5" mb="sm">
                {its.changes}
              </Title>
              <ActivityList subject={poll.id} limit={8} />
            </Paper>
          )}
        </div>
        <Sources
          queryKey={[...pollKey(slug, poll.shortId), 'sources']}
          read={(signal) => tossup.getPollSources(poll.id, {}, { signal })}
          label={poll.optionA.label}
        />
        {poll.optionOrder === 'random' && <OrderEffect poll={poll} />}
        <OnDemand id="integrity" texts={resultWords().integrity}>
          <IntegrityReport poll={poll} />
        </OnDemand>
        <OnDemand id="voters" texts={resultWords().voters}>
          <Suspense fallback={<Loading rows={3} />}>
            <VoterList poll={poll} />
          </Suspense>
        </OnDemand>
      </Stack>
      <Suspense>
        {isShareLoaded && (
          <SharePanel poll={poll} isOpen={shown === 'share'} onClose={close} onResults={() => setShown('results')} />
        )}
        {shown === 'results' && <ResultsLinks of={{ kind: 'poll', id: poll.id }} onClose={close} />}
      </Suspense>
    </Page>
  )
}

function Details({ poll }: { readonly poll: PollInView }) {
  const { poll: its, edit, common } = words()
  const rows: readonly (readonly [string, string | null])[] = [
    [common.created, moment(poll.createdAt)],
    [its.opens, poll.opensAt && moment(poll.opensAt)],
    [its.closes, poll.closesAt ? moment(poll.closesAt) : common.never],
    [edit.results, edit[`results_${poll.resultsVisibility}`]],
  ]
  return (
    <Paper withBorder p="md" component="section">
      <Title order={2} size="h5" mb="sm">
        {its.details}
      </Title>
      <dl className="details">
        {rows.map(
          ([name, value]) =>
            value && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
        {poll.tags.length > 0 && <Tags tags={poll.tags} />}
        {poll.admission === 'code' && <Admission list={poll.codeListId} />}
      </dl>
    </Paper>
  )
}

/** Each leads to the polls that have it, but for an analyst, whose list has no such filter. */
function Tags({ tags }: { readonly tags: readonly string[] }) {
  const { slug, mayEdit } = useBrand()
  return (
    <div>
      <dt>{words().edit.tags}</dt>
      <dd className="tags">
        {tags.map((tag) =>
          mayEdit ? (
            <Anchor
              key={tag}
              inherit
              underline="always"
              renderRoot={(props) => (
                <Link {...props} to="/$brand/polls" params={{ brand: slug }} search={{ tag } as never} />
              )}
            >
              <bdi>#{tag}</bdi>
            </Anchor>
          ) : (
            <bdi key={tag}>#{tag}</bdi>
          ),
        )}
      </dd>
    </div>
  )
}

/** Only the owner's view names the list. */
function Admission({ list }: { readonly list: string | null | undefined }) {
  const { slug } = useBrand()
  const { polls } = words()
  return (
    <div>
      <dt>{polls.who}</dt>
      <dd>
        {list ? (
          <Link to="/$brand/codes/$list" params={{ brand: slug, list }}>
            {polls.who_code}
          </Link>
        ) : (
          polls.who_code
        )}
      </dd>
    </div>
  )
}
