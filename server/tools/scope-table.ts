import type { Scope } from '../src/base/roles.ts'
import { markdownTable } from './made-text.ts'

const MEANINGS: Readonly<Record<Scope, string>> = {
  view: 'Read the profile and the theme of its own brand.',
  vote: 'Vote in the name of the device that the token was issued for.',
  manage: 'Read and change polls, campaigns, the theme, the profile and webhooks of its own brand; upload pictures.',
  analytics: 'Read who voted and when, under anonymous ids.',
}

export const scopeTable = (): string =>
  markdownTable(
    ['scope', 'allows'],
    Object.entries(MEANINGS).map(([scope, meaning]) => [`\`${scope}\``, meaning]),
  )
