import { Badge, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { count, filled, moment, percent } from '../../words/words.ts'
import { type PollInView, pollKey } from './use-poll.ts'

/** Beyond them a table is no report. */
const MOST_HOURS = 24
const CONSPICUOUS = 50

function colorOf(score: number): string {
  if (score >= CONSPICUOUS) return 'red'
  return score > 0 ? 'yellow' : 'teal'
}

/** Score, reasons and the last hours in which anything happened. The service writes the reasons, in English. */
export function IntegrityReport({ poll }: { readonly poll: PollInView }) {
  const { slug, tossup } = useBrand()
  const its = resultWords().integrity
  const report = useQuery({
    queryKey: [...pollKey(slug, poll.shortId), 'integrity'],
    queryFn: ({ signal }) => tossup.getIntegrity(poll.id, {}, { signal }),
  })
  if (report.isPending) return <Loading rows={2} />
  if (report.error) return <Failed error={report.error} onRetry={() => void report.refetch()} />
  const { score, reasons, hours } = report.data
  const refusedIn = ({ refused }: (typeof hours)[number]) =>
    refused.rate + refused.challenge + refused.origin + refused.invalid
  const shown = hours.filter((hour) => hour.votes + refusedIn(hour) > 0).slice(-MOST_HOURS)
  const shareOf = (share: number | null) => (share === null ? '–' : percent(share))
  return (
    <>
      <Group gap="xs" mb="xs">
        <Badge color={colorOf(score)} variant="light" tt="none">
          {filled(its.score, { score })}
        </Badge>
        {reasons.length === 0 && <Text size="sm">{its.calm}</Text>}
      </Group>
      {reasons.length > 0 && (
        <ul lang="en" dir="ltr">
          {reasons.map((reason) => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      {shown.length === 0 ? (
        <Text size="sm" c="dimmed">
          {its.none}
        </Text>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
        <section className="table-scroll" aria-label={its.hours} tabIndex={0}>
          <table className="numbers">
            <thead>
              <tr>
                {[its.hour, its.votes, its.largest, its.topTen, its.challenged, its.withoutOrigin, its.refused].map(
                  (name) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {shown.reverse().map((hour) => (
                <tr key={hour.at}>
                  <th scope="row">{moment(hour.at)}</th>
                  <td>{count(hour.votes)}</td>
                  <td>{shareOf(hour.largestNetworkShare)}</td>
                  <td>{shareOf(hour.topTenShare)}</td>
                  <td>{count(hour.challenged)}</td>
                  <td>{count(hour.withoutOrigin)}</td>
                  <td>{count(refusedIn(hour))}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}
