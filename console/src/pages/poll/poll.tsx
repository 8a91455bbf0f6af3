import { Badge, Button, Paper, Stack, Title } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Icon } from '../../parts/icons.tsx'
import { Page } from '../../parts/page.tsx'
import { StateBadge, stateOf } from '../../parts/polls/poll-parts.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { isolated, moment, words } from '../../words/words.ts'
import { ActivityList } from '../activity/activity-list.tsx'
import { LiveSplit } from './live-split.tsx'
import { PollActions } from './poll-actions.tsx'
import { SharePanel } from './share-panel.tsx'
import { type PollInView, usePoll } from './use-poll.ts'
import { Voters } from './voters.tsx'

export function PollPage() {
  const { poll: id = '' } = useParams({ strict: false })
  const poll = usePoll(id)
  if (poll.isPending || poll.error)
    return (
      <Page title={words().polls.poll}>
        {poll.error ? <Failed error={poll.error} onRetry={() => void poll.refetch()} /> : <Loading />}
      </Page>
    )
  return <OnePoll key={poll.data.id} poll={poll.data} />
}

function OnePoll({ poll }: { readonly poll: PollInView }) {
  const { slug, mayEdit } = useBrand()
  const [isSharing, setIsSharing] = useState(false)
  const { poll: its, polls, nav } = words()
  const params = { brand: slug, poll: poll.shortId }
  const state = stateOf(poll)
  const above = (
    <Link to="/$brand/polls" params={{ brand: slug }} className="back">
      <Icon name="back" size={16} /> {nav.polls}
    </Link>
  )
  const actions = (
    <>
      <Button variant="default" leftSection={<Icon name="share" size={16} />} onClick={() => setIsSharing(true)}>
        {its.share}
      </Button>
      {mayEdit && (
        <Button renderRoot={(props) => <Link {...props} to="/$brand/polls/$poll/edit" params={params} />}>
          {its.edit}
        </Button>
      )}
      <PollActions poll={poll} state={state} />
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
    <Page title={poll.title} badges={badges} above={above} actions={actions}>
      <Stack gap="md">
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
        <Voters poll={poll} />
      </Stack>
      <SharePanel poll={poll} isOpen={isSharing} onClose={() => setIsSharing(false)} />
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
    [edit.tags, poll.tags.map((tag) => isolated(`#${tag}`)).join(' ')],
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
      </dl>
    </Paper>
  )
}
