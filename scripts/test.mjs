// `npm test`: the checks, then every test. `test:unit` and `test:proof` run the short and the long ones.
// `npm test -- server/test/votes.test.ts -t pattern` runs the named files alone, without the checks, as `npm test -- --all --checked`
// runs all of them after the checks have passed.
import { bunFlags, runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

const bun = await ensureInstalled()
const given = process.argv.slice(2)
const args = given.filter((arg) => arg !== '--checked')
if (['', '--all'].includes(given.join())) {
  const exitCode = await runChild(process.execPath, ['scripts/check.mjs'], { cwd: root })
  if ([129, 130, 143].includes(exitCode)) process.exit(exitCode)
  if (exitCode !== 0) args.push('--checks-failed')
}
process.exit(await runChild(bun, [...bunFlags, 'scripts/testing/run.ts', ...args], { cwd: root }))
