import { Paper, Text, Title } from '@mantine/core'
import { useCallback } from 'react'
import type { Respondent } from '../../../../sdk/src/index.ts'
import { EndlessList } from '../../parts/lists/endless-rows.tsx'
import { useEndless } from '../../parts/lists/use-endless.ts'
import { addStyles } from '../../parts/polls/sheet.ts'
import { useBrand } from '../../session/brand.ts'
import styles from '../../styles/responses.css' with { type: 'text' }
import { campaignWords } from '../../words/campaign-words.ts'
import { filled, fromNow, moment } from '../../words/words.ts'
import { type CampaignInView, campaignKey } from './use-campaign.ts'

addStyles(styles)

const PAGE = 50
const ASK_EVERY_MS = 10_000
/** Told apart at a glance; the whole id is in its title. */
const SHOWN_OF_ID = 8

const idOf = ({ respondentId }: Respondent): string => respondentId

export function Responses({ campaign }: { readonly campaign: CampaignInView }) {
  const { slug, tossup } = useBrand()
  const its = campaignWords()
  const { campaignId } = campaign
  const pages = useEndless({
    queryKey: [...campaignKey(slug, campaignId), 'responses'],
    read: ({ cursor, signal }) => tossup.listResponses(campaignId, { cursor, limit: PAGE }, { signal }).page(),
    againMs: (_, isLong) => !isLong && ASK_EVERY_MS,
  })
  const polls = campaign.polsts.length
  const row = useCallback((respondent: Respondent) => <Response respondent={respondent} polls={polls} />, [polls])
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="responses">
      <Title order={2} size="h5" id="responses">
        {its.responses}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {its.responsesText}
      </Text>
      <EndlessList
        label={its.responses}
        pages={pages}
        idOf={idOf}
        rowHeight={47}
        loadingRows={3}
        empty={
          <Text size="sm" c="dimmed">
            {its.noResponses}
          </Text>
        }
      >
        {row}
      </EndlessList>
    </Paper>
  )
}

interface ResponseProps {
  readonly respondent: Respondent
  readonly polls: number
}

/** A hundred polls of a campaign are a hundred answers in each row: two elements for each, and no component. */
function Response({ respondent: { respondentId, startedAt, votes }, polls }: ResponseProps) {
  const its = campaignWords()
  const byPlace = new Map(votes.map((vote) => [vote.position, vote]))
  const places = Array.from({ length: Math.max(polls, ...byPlace.keys()) }, (_, index) => index + 1)
  return (
    <div className="activity-line">
      <span title={respondentId} style={{ minWidth: '8.5rem' }}>
        {filled(its.respondent, { id: respondentId.slice(0, SHOWN_OF_ID) })}
      </span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset draws a frame */}
      <div className="answers grow" role="group" aria-label={its.answers}>
        {places.map((place) => {
          const vote = byPlace.get(place)
          const text = vote ? filled(its.answer, { place, option: vote.option }) : filled(its.noAnswer, { place })
          return (
            <span key={place} className="answer" data-option={vote?.option ?? '–'} title={text}>
              <span className="out-of-sight">{text}</span>
            </span>
          )
        })}
      </div>
      <time dateTime={startedAt} title={moment(startedAt)}>
        {fromNow(startedAt)}
      </time>
    </div>
  )
}
