import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../config/config.ts'
import { settings } from '../../config/settings.ts'
import { type Limit, limits, mostOf, quotaOf } from './limits.ts'

const entries: Limit[] = Object.values(limits)

describe('the catalogue of limits', () => {
  test('names each policy once', () => {
    expect(new Set(entries.map(({ policy }) => policy)).size).toBe(entries.length)
  })

  test('has the numbers of a server without settings', () => {
    const config = readConfig({})
    expect(entries.map((limit) => [limit.policy, mostOf(limit, config)])).toEqual([
      ['votes', 10],
      ['network-votes', 120],
      ['network-votes-wide', 480],
      ['network-votes-widest', 1_920],
      ['network-brand-votes', 600],
      ['network-brand-votes-wide', 2_400],
      ['network-brand-votes-widest', 9_600],
      ['refused-votes', 120],
      ['code-failures', 10],
      ['views', 60],
      ['tokens', 30],
      ['brand-writes', 300],
      ['brand-polls', 0],
      ['auth-failures', 10],
      ['session-tokens', 60],
      ['agent-calls', 120],
      ['agent-requests', 30],
      ['link-network', 20],
      ['oidc-callbacks', 60],
      ['forget', 30],
      ['shared-results', 120],
      ['streams', 1_000],
      ['exports', 4],
    ])
  })

  test('takes a number from the setting that it names', () => {
    for (const limit of entries.filter((one) => 'setting' in one)) {
      const times = 'times' in limit ? limit.times : 1
      expect(mostOf(limit, readConfig({ [settings[limit.setting].name]: '7' }))).toBe(7 * times)
    }
    const config = readConfig({ VOTES_PER_MINUTE: '3' })
    expect(quotaOf('votes', config)).toEqual({ policy: 'votes', quota: 3, windowSeconds: 60 })
  })

  test('is the only place of a window', () => {
    const folder = join(import.meta.dir, '../..')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    const withWindow = sources.filter((file) => /windowSeconds: \d/.test(readFileSync(join(folder, file), 'utf8')))
    expect(withWindow).toEqual(['http/limits/limits.ts'])
  })
})
