import { Group, NativeSelect, Paper, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Crosstab as Counted } from '../../../../sdk/src/index.ts'
import { differenceMeaning, differenceText, shareText } from '../../parts/results/numbers.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { filled, isolated } from '../../words/words.ts'
import { type CampaignInView, campaignKey } from './use-campaign.ts'

type Step = CampaignInView['polsts'][number]

/** Answers of the devices that answered both of two polls. */
export function Crosstab({ campaign: { campaignId, polsts } }: { readonly campaign: CampaignInView }) {
  const { slug, tossup } = useBrand()
  const its = resultWords().crosstab
  const [rows, setRows] = useState(polsts[0]?.slug ?? '')
  const [columns, setColumns] = useState(polsts[1]?.slug ?? '')
  const chosen = [rows, columns].flatMap((each) => polsts.filter((poll) => poll.slug === each))
  const counted = useQuery({
    queryKey: [...campaignKey(slug, campaignId), 'crosstab', rows, columns],
    queryFn: ({ signal }) => tossup.getCrosstab(campaignId, { rows, columns }, { signal }),
    enabled: chosen.length === 2 && rows !== columns,
    placeholderData: keepPreviousData,
  })
  const choices = polsts.map((poll) => ({ value: poll.slug, label: isolated(poll.title) }))
  /** A poll has one place: the other takes the poll that was here. */
  const choose = (place: 'rows' | 'columns', chosenSlug: string) => {
    const other = place === 'rows' ? columns : rows
    const before = place === 'rows' ? rows : columns
    const moved = other === chosenSlug ? before : other
    setRows(place === 'rows' ? chosenSlug : moved)
    setColumns(place === 'rows' ? moved : chosenSlug)
  }
  if (polsts.length < 2) return null
  const [first, second] = chosen
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="crosstab">
      <Title order={2} size="h5" id="crosstab">
        {its.title}
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {its.text}
      </Text>
      <Group grow preventGrowOverflow={false} mb="md" className="times">
        <NativeSelect
          label={its.rows}
          value={rows}
          data={choices}
          onChange={(event) => choose('rows', event.currentTarget.value)}
        />
        <NativeSelect
          label={its.columns}
          value={columns}
          data={choices}
          onChange={(event) => choose('columns', event.currentTarget.value)}
        />
      </Group>
      {counted.isPending && <Loading rows={2} />}
      {counted.error && <Failed error={counted.error} onRetry={() => void counted.refetch()} />}
      {counted.data && first && second && <InWords counted={counted.data} first={first} second={second} />}
    </Paper>
  )
}

interface WordsProps {
  readonly counted: Counted
  readonly first: Step
  readonly second: Step
}

function InWords({ counted: { respondents, cells, rows, difference, low, high }, first, second }: WordsProps) {
  const its = resultWords().crosstab
  if (respondents === 0)
    return (
      <Text size="sm" c="dimmed">
        {its.none}
      </Text>
    )
  const [those, others] = rows
  const total = (index: number) => (cells[index]?.[0] ?? 0) + (cells[index]?.[1] ?? 0)
  const percentOf = (index: number) => {
    const { shareA } = rows[index] ?? {}
    return shareA == null ? '–' : shareText(shareA, total(index))
  }
  const line = filled(its.line, {
    row: first.optionA.label,
    percent: percentOf(0),
    column: second.optionA.label,
  })
  return (
    <>
      {those && (
        <Text fw={600} mb="xs" style={{ overflowWrap: 'anywhere' }}>
          {line}
          {others && `; ${filled(its.others, { percent: percentOf(1) })}`}.
        </Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <div className="table-scroll" tabIndex={0}>
        <table className="numbers">
          <thead>
            <tr>
              <th scope="col">
                <bdi>{first.title}</bdi>
              </th>
              {[second.optionA, second.optionB].map(({ label }) => (
                <th key={label} scope="col">
                  <bdi>{label}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[first.optionA, first.optionB].map(({ label }, index) => (
              <tr key={label}>
                <th scope="row">
                  <bdi>{label}</bdi>
                </th>
                {[0, 1].map((column) => {
                  const cell = cells[index]?.[column] ?? 0
                  return (
                    <td key={column}>
                      {total(index) > 0 && <b>{shareText(cell / total(index), total(index))}</b>}{' '}
                      <span className="side-count">{filled(its.counts, { count: cell, total: total(index) })}</span>
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Text size="sm" mt="sm">
        {filled(its.devices, { count: respondents })}{' '}
        {difference !== null &&
          low !== null &&
          high !== null &&
          `${filled(its.difference, differenceText({ difference, low, high }))} ${differenceMeaning({ low, high })}`}
      </Text>
    </>
  )
}
