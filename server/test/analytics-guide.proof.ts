import { expect, test } from 'bun:test'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to analytics works as pasted',
  async () => {
    const [vote = '', voters = '', days = '', minutes, week, , steps, head, row = '', line = '', responses, ...counts] =
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
    expect([minutes, week]).toEqual(['5', '7'])
    expect(Number(steps)).toBeGreaterThan(1)
    expect(head).toBe('respondentId,option,votedAt,position\r')
    expect(row).toEndWith(`,A,${data[0].votedAt},60\r`)
    expect(JSON.parse(line)).toEqual(data[0])
    expect(responses).toBe('respondentId,startedAt,position,slug,option,votedAt\r')
    expect(counts).toEqual(['60', '60'])
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to privacy works as pasted',
  async () => {
    const [vote = '', forgotten, again = '', purged] = await followGuide('privacy.md')
    expect(forgotten).toBe('204')
    const { option, votedAt } = JSON.parse(vote).data
    expect(JSON.parse(again).error).toMatchObject({
      code: 'VOTE_ALREADY_CAST',
      details: { existingVote: { option, votedAt } },
    })
    expect(purged).toStartWith('Forgot 0 guests whose last vote was before ')
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to integrity works as pasted',
  async () => {
    const [challenge, code, report = '', changed, option] = await followGuide('integrity.md')
    expect([challenge, code]).toEqual(['always', 'CHALLENGE_REQUIRED'])
    const { score, hours } = JSON.parse(report).data
    expect(score).toBe(0)
    expect(hours.at(-1).refused.challenge).toBe(1)
    expect([changed, option]).toEqual(['off', 'A'])
  },
  60_000,
)

test.if(hasCurl)(
  'the guide to scripts works as pasted',
  async () => {
    const [title, tags, votes, polls, csv] = await followGuide('scripts.md')
    expect([title, tags, votes]).toEqual(['Pizza or pasta today?', '2', '0'])
    expect(Number(polls)).toBeGreaterThan(1)
    expect(csv).toBe('respondentId,option,votedAt,position\r')
  },
  180_000,
)
