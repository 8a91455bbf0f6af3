// `npm run release -- patch|minor|major|x.y.z [--dry-run]`: see CONTRIBUTING.md.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './install.mjs'
import { releasedChangelog, unreleasedNotes } from './release/changelog.mjs'
import { nextVersion } from './release/version.mjs'

const textOf = (path) => readFileSync(join(root, path), 'utf8')
const jsonOf = (path) => JSON.parse(textOf(path))
const git = (...args) =>
  execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()

const { workspaces } = jsonOf('package.json')
const current = jsonOf(`${workspaces[0]}/package.json`).version
const { version, isDry } = readCommand()
try {
  console.log(`Tossup ${current} → ${version}${isDry ? ' (dry run)' : ''}`)
  const faults = repositoryFaults(version)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  const notes = unreleasedNotes(textOf('CHANGELOG.md'))
  const written = releasedFiles(version)
  console.log(`Changes: ${[...written.keys()].join(', ')}\n\nNotes of ${version}:\n\n${notes}\n`)
  if (isDry) console.log('Dry run: nothing was changed')
  else release(version, written, notes)
} catch (error) {
  console.error(`✗ ${error.message}\nNo release was made`)
  process.exitCode = 1
}

function readCommand() {
  try {
    const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true })
    if (positionals.length !== 1) throw new RangeError(`one version is needed, got ${positionals.length}`)
    return { version: nextVersion(current, positionals[0]), isDry: values['dry-run'] }
  } catch (error) {
    console.error(`release: ${error.message}\nusage: npm run release -- patch|minor|major|x.y.z [--dry-run]`)
    return process.exit(2)
  }
}

/** Every reason why no release can be made from here, each with its remedy. */
function repositoryFaults(version) {
  const branch = git('branch', '--show-current')
  const dirty = git('status', '--porcelain')
  return [
    branch !== 'main' && `a release is made on main, this is ${branch || 'no branch'}: git switch main`,
    dirty && `the tree has changes, commit or remove them: ${dirty.replaceAll('\n', ', ')}`,
    git('tag', '--list', `v${version}`) && `the tag v${version} is there already, choose a later version`,
  ].filter(Boolean)
}

/** The new text of each file that names the version, by its path. */
function releasedFiles(version) {
  const date = new Date().toISOString().slice(0, 10)
  const files = new Map([['CHANGELOG.md', releasedChangelog(textOf('CHANGELOG.md'), { version, date })]])
  for (const [path, naming] of namingFiles()) {
    if (!textOf(path).includes(naming)) throw new Error(`${path}: must contain ${naming}`)
    files.set(path, (files.get(path) ?? textOf(path)).replace(naming, naming.replace(current, version)))
  }
  const lock = jsonOf('package-lock.json')
  for (const name of workspaces) lock.packages[name].version = version
  return files.set('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
}

function namingFiles() {
  const examplesWithSdk = git('grep', '--files-with-matches', '"@tossup/sdk"', '--', 'examples/*/package.json')
  return [
    ...workspaces.map((name) => [`${name}/package.json`, `"version": "${current}"`]),
    ['server/openapi.json', `"version": "${current}"`],
    ...examplesWithSdk.split('\n').map((path) => [path, `"@tossup/sdk": "${current}"`]),
    ['docs/guides/run.md', `tossup-${current}.tgz`],
    ['docs/guides/sdk.md', `tossup-sdk-${current}.tgz`],
    ['deploy/kubernetes/postgres.yaml', `/tossup:${current}`],
    ['deploy/kubernetes/sqlite.yaml', `/tossup:${current}`],
    ['integrations/wordpress/tossup-polls/tossup-polls.php', `Version:           ${current}`],
    ['integrations/wordpress/tossup-polls/tossup-polls.php', `TOSSUP_VERSION = '${current}'`],
    ['integrations/wordpress/tossup-polls/readme.txt', `Stable tag: ${current}`],
    ['integrations/wordpress/tossup-polls/blocks/poll/editor.asset.php', `'${current}'`],
  ]
}

function release(version, written, notes) {
  execFileSync(process.execPath, ['scripts/check.mjs'], { cwd: root, stdio: 'inherit' })
  for (const [path, text] of written) writeFileSync(join(root, path), text)
  git('commit', '--quiet', '--message', `Release ${version}`, '--only', '--', ...written.keys())
  git('tag', '--annotate', '--cleanup=verbatim', '--message', `Tossup ${version}\n\n${notes}\n`, `v${version}`)
  console.log(`Committed and tagged v${version}
Next: npm run build:package; npm pack --workspace sdk; npm publish each .tgz; git push origin main v${version}`)
}
