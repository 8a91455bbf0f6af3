// With TEST_SERVERS=2 a test service is two servers. Tests that hold for one server alone are skipped: each is listed with its reason.
import listed from '../../server/test/needs-one-server.json' with { type: 'json' }

const titles = listed.flatMap(({ title }) => title?.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`) ?? [])

/** The flags that were given, and a pattern that leaves out the tests whose full name has a listed title in it. */
export function oneServerFlags(flags: readonly string[], servers = process.env['TEST_SERVERS']): readonly string[] {
  if (servers !== '2') return flags
  const at = flags.findIndex((flag) => flag === '-t' || flag === '--test-name-pattern')
  const wanted = at < 0 ? '' : flags[at + 1]
  const others = at < 0 ? flags : flags.toSpliced(at, 2)
  return [...others, '-t', `^(?!.*(?:${titles.join('|')}))(?=.*?(?:${wanted}))`]
}
