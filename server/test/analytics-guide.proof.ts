import { expect, test } from 'bun:test'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to analytics works as pasted',
  async () => {
    const lines = await followGuide('analytics.md')
    const next = () => lines.shift() ?? ''
    const data = () => JSON.parse(next()).data
    const cast = data()
    const voters = JSON.parse(next())
    expect(voters.data.map(({ position }: { position: number }) => position)).toEqual([60, 59])
    expect(voters.hasMore).toBe(true)
    expect([voters.data[0].option, voters.data[0].votedAt]).toEqual(['A', cast.votedAt])
    const { bucket, points } = data()
    const sum = points.reduce((votes: number, { optionA, optionB }: Record<string, number>) => {
      return votes + Number(optionA) + Number(optionB)
    }, 0)
    expect([bucket, sum]).toEqual(['day', cast.tallies.total])
    expect(next()).toBe('5')
    expect(data()).toMatchObject({ votes: 60, verdict: 'too_close', leader: null })
    expect([next(), Number(next())]).toEqual(['7', expect.any(Number)])
    expect(data()).toHaveLength(1)
    expect(Number(next())).toBeGreaterThan(1)
    expect(data().cells).toHaveLength(2)
    expect(data().name).toBe('newsletter')
    expect(next()).toEndWith('201')
    expect(next()).toBe('204')
    // One vote is fewer than ten.
    for (const sources of [data(), data(), data()])
      expect(sources.map(({ source }: { source: string }) => source)).not.toContain('newsletter')
    for (const { url } of [data(), data()]) expect(url).toMatch(/\/r\/tsv_[\w-]{43}$/)
    expect(data()).toHaveLength(1)
    expect(next()).toBe('respondentId,option,votedAt,position,label,title\r')
    expect(next()).toMatch(/,A,[^,]+,61,Tea,/)
    expect(JSON.parse(next())).toMatchObject({ option: 'A', position: 61 })
    expect(next()).toBe('respondentId,startedAt,position,slug,option,votedAt,label,title\r')
    expect(next()).toStartWith('respondentId,startedAt,')
    expect(next()).toStartWith('\uFEFFtitle,')
    expect(next()).not.toBe('')
    expect(lines).toEqual(['61', '61'])
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
    expect(csv).toBe('respondentId,option,votedAt,position,label,title\r')
  },
  180_000,
)
