import { expect, test } from 'bun:test'
import { Histogram, metricsText } from './metrics-text.ts'

const values = (histogram: Histogram, labels?: Record<string, string>) =>
  histogram.samples(labels).map(({ suffix, labels: { le = '', ...others } = {}, value }) => [suffix, le, others, value])

test('a value is in the first bucket that reaches it and in all that are larger', () => {
  const histogram = new Histogram([0.1, 1])
  for (const value of [0, 0.1, 0.5, 1, 1.5, 20]) histogram.observe(value)
  expect(values(histogram)).toEqual([
    ['_bucket', '0.1', {}, 2],
    ['_bucket', '1', {}, 4],
    ['_bucket', '+Inf', {}, 6],
    ['_sum', '', {}, 23.1],
    ['_count', '', {}, 6],
  ])
})

test('its labels are on every series, and before the first value all are 0', () => {
  expect(values(new Histogram([1]), { route: 'a' })).toEqual([
    ['_bucket', '1', { route: 'a' }, 0],
    ['_bucket', '+Inf', { route: 'a' }, 0],
    ['_sum', '', { route: 'a' }, 0],
    ['_count', '', { route: 'a' }, 0],
  ])
})

test('each metric has its help, its type and its samples, one per line', () => {
  const text = metricsText([
    { name: 'queue', type: 'gauge', help: 'Waiting.', samples: [{ value: 3 }] },
    {
      name: 'votes_total',
      type: 'counter',
      help: 'Votes.',
      samples: [
        { labels: { outcome: 'accepted', by: 'a' }, value: 1e21 },
        { labels: { outcome: 'odd "\\\n' }, value: 0.5 },
      ],
    },
  ])
  expect(text).toBe(
    [
      '# HELP queue Waiting.',
      '# TYPE queue gauge',
      'queue 3',
      '# HELP votes_total Votes.',
      '# TYPE votes_total counter',
      'votes_total{outcome="accepted",by="a"} 1e+21',
      'votes_total{outcome="odd \\"\\\\\\n"} 0.5',
      '',
    ].join('\n'),
  )
})
