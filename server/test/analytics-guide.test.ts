import { expect, test } from 'bun:test'
import { followGuide } from './guides.ts'

test('the guide to analytics works as pasted', async () => {
  const [vote = '', voters = '', days = '', minutes, head, row = '', line = '', responses] =
    await followGuide('analytics.md')
  const { data, hasMore } = JSON.parse(voters)
  expect(data.map(({ position }: { position: number }) => position)).toEqual([60, 59])
  expect(hasMore).toBe(true)
  expect([data[0].option, data[0].votedAt]).toEqual(['A', JSON.parse(vote).data.votedAt])
  const { bucket, points } = JSON.parse(days).data
  const sum = points.reduce((votes: number, { optionA, optionB }: Record<string, number>) => {
    return votes + Number(optionA) + Number(optionB)
  }, 0)
  expect([bucket, sum]).toEqual(['day', JSON.parse(vote).data.tallies.total])
  expect(minutes).toBe('5')
  expect(head).toBe('respondentId,option,votedAt,position\r')
  expect(row).toEndWith(`,A,${data[0].votedAt},60\r`)
  expect(JSON.parse(line)).toEqual(data[0])
  expect(responses).toBe('respondentId,startedAt,position,slug,option,votedAt\r')
}, 60_000)

test('the guide to privacy works as pasted', async () => {
  const [vote = '', forgotten, again = '', purged] = await followGuide('privacy.md')
  expect(forgotten).toBe('204')
  const { option, votedAt } = JSON.parse(vote).data
  expect(JSON.parse(again).error).toMatchObject({
    code: 'VOTE_ALREADY_CAST',
    details: { existingVote: { option, votedAt } },
  })
  expect(purged).toStartWith('Forgot 0 guests whose last vote was before ')
}, 60_000)
