// `npm run release -- patch|minor|major|x.y.z [--dry-run [--no-checks]] [--with-tests]`: see CONTRIBUTING.md.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChild } from './child.mjs'
import { ensureInstalled, root } from './install.mjs'
import { packAll, writeInventory } from './release/artifacts.mjs'
import { git, readState, stateFaults, writeRelease } from './release/repository.mjs'
import { nextVersion } from './release/version.mjs'

const usage = 'usage: npm run release -- patch|minor|major|x.y.z [--dry-run [--no-checks]] [--with-tests]'
const options = Object.fromEntries(
  ['dry-run', 'no-checks', 'with-tests'].map((name) => [name, { type: 'boolean', default: false }]),
)

const state = readState(root)
const { version, isDry, isChecked, isTested } = readCommand(state.version)
print(`Tossup ${state.version} → ${version}${isDry ? ' (dry run)' : ''}`)
const faults = stateFaults(state, version)
if (faults.length > 0) fail(faults.map((fault) => `✗ ${fault}`).join('\n'))
print('✓ on main, clean, versions agree, the changelog has entries')
await ensureInstalled()
if (isChecked) await runChecks()

const out = mkdtempSync(join(tmpdir(), `tossup-${version}-`))
// npm names the bill of materials after this folder.
const source = join(out, 'tossup')
let changed
try {
  changed = writeRelease(source, { root, state, version })
  mkdirSync(join(out, 'packages'))
  const packed = packAll(source, { workspaces: state.publishable, out: join(out, 'packages'), isChecked })
  const count = writeInventory(source, { version, out: join(out, 'packages') })
  writeFileSync(join(out, 'packages', 'NOTES.md'), `${state.notes}\n`)
  for (const { filename, size, files } of packed) {
    print(`\n${filename}, ${size} bytes packed:`)
    for (const file of files) print(`${String(file.size).padStart(9)}  ${file.path}`)
  }
  print(`\nLICENSES.txt and sbom.cdx.json name ${count} packages that run in production`)
  print(`Changed: ${changed.join(', ')}`)
  print(`\nNotes of ${version}:\n\n${state.notes}\n`)
  if (!isDry) commit()
} finally {
  rmSync(source, { recursive: true, force: true })
}
print(`Packages, notes, licenses and bill of materials: ${join(out, 'packages')}`)
print(isDry ? 'Dry run: nothing was changed' : `Next: git push origin main v${version}; npm publish each .tgz above`)

function readCommand(current) {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (positionals.length !== 1) throw new RangeError(`one version is needed, got ${positionals.length}`)
    if (values['no-checks'] && !values['dry-run']) throw new RangeError('--no-checks is allowed only with --dry-run')
    if (values['no-checks'] && values['with-tests']) throw new RangeError('--no-checks excludes --with-tests')
    return {
      version: nextVersion(current, positionals[0]),
      isDry: values['dry-run'],
      isChecked: !values['no-checks'],
      isTested: values['with-tests'],
    }
  } catch (error) {
    process.stderr.write(`release: ${error.message}\n${usage}\n`)
    return process.exit(2)
  }
}

async function runChecks() {
  // A full test run begins with the checks.
  const script = isTested ? ['scripts/test.mjs', '--all'] : ['scripts/check.mjs']
  const { exitCode } = runChild(process.execPath, script, { cwd: root, stdio: 'inherit' })
  const code = await exitCode
  if (code > 128) process.exit(code)
  if (code !== 0) fail(`✗ ${script.join(' ')} failed, see above`)
}

function commit() {
  if (git(root, 'rev-parse', 'HEAD') !== state.head) fail('✗ main has moved during the release, start again')
  for (const path of changed) cpSync(join(source, path), join(root, path))
  git(root, 'commit', '--quiet', '--message', `Release ${version}`, '--only', '--', ...changed)
  git(
    root,
    'tag',
    '--annotate',
    '--cleanup=verbatim',
    '--message',
    `Tossup ${version}\n\n${state.notes}\n`,
    `v${version}`,
  )
  print(`Committed and tagged v${version}`)
}

function print(text) {
  process.stdout.write(`${text}\n`)
}

function fail(text) {
  process.stderr.write(`${text}\nNothing was changed\n`)
  process.exit(1)
}
