// Types, lint and format, dead code, architecture, rooms, missing translations, spelling. `npm run check -- --fix` lets Biome fix what it can, and
// `npm run check -- --size` only prints how large the project is.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { bunFlags, runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'

const bun = await ensureInstalled()
if (process.argv.includes('--size'))
  process.exit(await runChild(bun, [...bunFlags, 'scripts/checks/size.mjs'], { cwd: root }))
const fix = process.argv.includes('--fix')

const cache = 'node_modules/.cache'
// Incremental: a second run checks only the files that a change can affect.
const tsc = `node_modules/typescript-native/bin/tsc --noEmit --pretty --incremental --tsBuildInfoFile ${cache}/tsc`

// Run by Bun, because some of these tools need a newer Node than 20.
const checks = [
  ['lint and format', `node_modules/@biomejs/biome/bin/biome check --error-on-warnings${fix ? ' --write' : ''}`],
  ['types', `${tsc}/all`],
  ['types in a browser', `${tsc}/browser --project embed/src/browser`],
  ['types of the console', `${tsc}/console --project console`],
  ['types where there is no Bun', `${tsc}/sdk --project sdk`],
  ['dead code', `node_modules/knip/bin/knip.js --no-config-hints --cache --cache-location ${cache}/knip`],
  ['architecture', 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs server bench embed sdk console'],
  ['rooms', 'scripts/checks/rooms.mjs'],
  ['translations: texts shown in English', 'scripts/checks/missing-translations.mjs'],
  ['spelling', `node_modules/cspell/bin.mjs lint --no-progress --no-summary --cache --cache-location ${cache}/cspell`],
]

// With --fix, Biome runs first and alone, so that the other checks read the files it has rewritten.
const fixed = fix ? [await run(checks.shift())] : []
const failed = [...fixed, ...(await Promise.all(checks.map(run)))].flat()
if (failed.length > 0) console.log(`check failed: ${failed.join(', ')}`)
process.exitCode = failed.length > 0 ? 1 : 0

/** Resolves to the name of the step if it fails, in a list. */
async function run([name, command]) {
  const started = performance.now()
  const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env
  const options = { cwd: root, env, maxBuffer: Number.POSITIVE_INFINITY }
  const result = await promisify(execFile)(bun, [...bunFlags, ...command.split(' ')], options).catch((error) => error)
  const isFailed = result instanceof Error
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const output = isFailed || name.startsWith('translations') ? `\n${result.stdout}${result.stderr}`.trimEnd() : ''
  console.log(`${isFailed ? '✗' : '✓'} ${name} ${seconds} s${output}`)
  return isFailed ? [name] : []
}
