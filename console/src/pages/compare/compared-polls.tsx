import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Failed, Loading } from '../../parts/states.tsx'
import { useBrand } from '../../session/brand.ts'
import { resultWords } from '../../words/result-words.ts'
import { ComparedCard } from './compared-card.tsx'
import { useCompared } from './use-compared.ts'

/** Polls side by side, each compared with the first. */
export function ComparedPolls({ ids }: { readonly ids: readonly string[] }) {
  const { slug } = useBrand()
  const its = resultWords()
  const polls = useCompared(ids)
  const failed = polls.find(({ error, data }) => error && !data)
  if (failed) return <Failed error={failed.error} onRetry={() => void failed.refetch()} />
  const shown = polls.flatMap(({ data }) => (data ? [data] : []))
  const [first] = shown
  if (!first || shown.length < ids.length) return <Loading rows={3} />
  return (
    <>
      <div className="compared">
        {shown.map((poll) => (
          <ComparedCard
            key={poll.id}
            title={
              <Link
                to="/$brand/polls/$poll"
                params={{ brand: slug, poll: poll.shortId }}
                dir="auto"
                className="step-title"
              >
                {poll.title}
              </Link>
            }
            labels={[poll.optionA.label, poll.optionB.label]}
            sides={poll.tallies}
            isOver={poll.status === 'closed'}
            base={
              poll === first
                ? null
                : { sides: first.tallies, text: its.compare.difference, names: { title: first.title } }
            }
          />
        ))}
      </div>
      <Text size="sm" c="dimmed">
        {its.verdict.self}
      </Text>
    </>
  )
}
