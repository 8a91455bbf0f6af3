import { expect, test } from 'bun:test'
import { metricsText } from './metrics-text.ts'

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
