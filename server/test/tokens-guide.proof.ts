import { expect, test } from 'bun:test'
import { followGuide, hasCurl } from './guides.ts'

test.if(hasCurl)(
  'the guide to tokens and devices works as pasted',
  async () => {
    const lines = await followGuide('tokens.md')
    expect(lines.slice(0, 2)).toEqual(['A', 'VOTE_ALREADY_CAST'])
    expect(lines.slice(2, 4)).toEqual(['view,analytics', 'corner-cafe'])
    expect(lines.slice(4, 8)).toEqual(['view,analytics', 'true', 'UNAUTHORIZED', 'INVALID_REFRESH_TOKEN'])
    expect(lines.slice(8)).toEqual(['A', 'VOTE_ALREADY_CAST', 'A'])
  },
  120_000,
)
