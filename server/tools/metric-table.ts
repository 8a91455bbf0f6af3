import { metricEntries } from '../src/app/metrics-catalogue.ts'
import { markdownTable } from './made-text.ts'

/** Every metric with its labels, what it counts and what to look for. */
export const metricTable = (): string =>
  markdownTable(
    ['metric', 'type', 'meaning', 'what to look for'],
    metricEntries
      .toSorted(([left], [right]) => left.localeCompare(right))
      .map(([name, { type, labels = [], help, watch }]) => {
        const shown = labels.length === 0 ? name : `${name}{${labels.join(',')}}`
        return [`\`${shown}\``, type, help, watch]
      }),
  )
