// With TEST_SERVERS=2 a test service is two servers. Tests that hold for one server alone are skipped, by name and with the reason.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'

const listed = JSON.parse(readFileSync(join(root, 'server/test/needs-one-server.json'), 'utf8'))
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

/** The flags for one file: those given, and a pattern that leaves out the tests whose full name has a listed title in it. */
export function flagsForServers(file, flags, { servers = process.env.TEST_SERVERS, list = listed } = {}) {
  const titles = list.filter((entry) => entry.file === file && entry.title).map(({ title }) => escaped(title))
  if (servers !== '2' || titles.length === 0) return flags
  const at = flags.findIndex((flag) => flag === '-t' || flag === '--test-name-pattern')
  const wanted = at < 0 ? '' : flags[at + 1]
  const others = at < 0 ? flags : flags.filter((_, index) => index !== at && index !== at + 1)
  return [...others, '-t', `^(?!.*(?:${titles.join('|')}))(?=.*?(?:${wanted}))`]
}
