import { exportOutdated } from '../../base/errors.ts'
import type { OptionName } from '../../db/tables.ts'
import type { Export } from '../../http/answers/export.ts'
import type { Respondent } from './schema.ts'

interface Labels {
  readonly label_a: string
  readonly label_b: string
}

interface Step extends Labels {
  readonly slug: string
  readonly title: string
}

type Layout = Pick<Export<Respondent>, 'columns' | 'cellsOf'>

export const labelOf = ({ label_a, label_b }: Labels, option: OptionName): string =>
  option === 'A' ? label_a : label_b

/** One vote a row. */
export function longResponses(steps: readonly Step[]): Layout {
  const stepOf = new Map(steps.map((step) => [step.slug, step]))
  return {
    columns: ['respondentId', 'startedAt', 'position', 'slug', 'option', 'votedAt', 'label', 'title'],
    cellsOf: ({ respondentId, startedAt, votes }) =>
      votes.map(({ position, slug, option, votedAt }) => {
        const step = stepOf.get(slug)
        // The polls of the campaign have changed since their titles were read.
        if (!step) throw exportOutdated()
        return [respondentId, startedAt, position, slug, option, votedAt, labelOf(step, option), step.title]
      }),
  }
}

/** One respondent a row, with a column for each poll. Two polls may have one title, so a column has the slug too. */
export function wideResponses(steps: readonly Step[]): Layout {
  const slugs = new Set(steps.map(({ slug }) => slug))
  return {
    columns: ['respondentId', 'startedAt', 'totalVotes', ...steps.map(({ title, slug }) => `${title} (${slug})`)],
    cellsOf({ respondentId, startedAt, totalVotes, votes }) {
      const voteOn = new Map(votes.map(({ slug, option }) => [slug, option]))
      if (votes.some(({ slug }) => !slugs.has(slug))) throw exportOutdated()
      const answers = steps.map((step) => {
        const option = voteOn.get(step.slug)
        return option ? `${option}: ${labelOf(step, option)}` : ''
      })
      return [[respondentId, startedAt, totalVotes, ...answers]]
    },
  }
}
