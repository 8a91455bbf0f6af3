import { expect, test } from 'bun:test'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to campaigns works as pasted',
  async () => {
    const answers = await followGuide('campaigns.md')
    const gone = answers.pop()
    const [made, read, vote, progress, tallies, list, changed, responses] = answers.map((line) => JSON.parse(line).data)
    const titles = (campaign: { polsts: { title: string }[] }) => campaign.polsts.map(({ title }) => title)
    expect(made).toMatchObject({ title: 'Your coffee', totalSteps: 2, withheldPolstIds: [] })
    expect(titles(read)).toEqual(['Milk?', 'Small or large?'])
    expect(vote.option).toBe('A')
    expect(progress).toMatchObject({ completedSteps: 1, totalSteps: 2, completed: false })
    expect(progress.currentPoll.title).toBe('Small or large?')
    expect(tallies.polsts.map((poll: { tallies: { total: number } }) => poll.tallies.total)).toEqual([1, 0])
    expect(list.map(({ title }: { title: string }) => title)).toEqual(['Your coffee', 'Three quick ones'])
    expect([titles(changed), changed.description]).toEqual([['Small or large?', 'Milk?'], 'Two questions'])
    expect(responses).toMatchObject([{ totalVotes: 1, votes: [{ position: 2, option: 'A' }] }])
    expect(gone).toBe('404')
  },
  60_000,
)
