// Reads facts of a release from the repository, and writes the release into a clone of it.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { releasedChangelog, unreleasedNotes } from './changelog.mjs'

export function git(folder, ...args) {
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
}

const readText = (folder, path) => readFileSync(join(folder, path), 'utf8')
const readJson = (folder, path) => JSON.parse(readText(folder, path))

export function readState(root) {
  const { workspaces } = readJson(root, 'package.json')
  const manifests = workspaces.map((name) => [name, readJson(root, `${name}/package.json`)])
  const locked = readJson(root, 'package-lock.json').packages
  const changelog = readText(root, 'CHANGELOG.md')
  const { notes, fault } = tryNotes(changelog)
  return {
    version: manifests[0][1].version,
    versions: manifests.flatMap(([name, { version }]) => [
      [`${name}/package.json`, version],
      [`package-lock.json (${name})`, locked[name].version],
    ]),
    publishable: manifests.filter(([, manifest]) => !manifest.private).map(([name]) => name),
    workspaces,
    head: git(root, 'rev-parse', 'HEAD'),
    branch: git(root, 'branch', '--show-current'),
    tags: git(root, 'tag', '--list').split('\n'),
    dirty: git(root, 'status', '--porcelain').split('\n').filter(Boolean),
    changelog,
    notes,
    changelogFault: fault,
  }
}

function tryNotes(changelog) {
  try {
    return { notes: unreleasedNotes(changelog) }
  } catch (error) {
    return { fault: error.message }
  }
}

/** Every reason why this version cannot be released from here, each with its remedy. */
export function stateFaults(state, version) {
  const { branch, dirty, versions, tags, changelogFault } = state
  const others = versions.filter(([, found]) => found !== state.version)
  return [
    branch !== 'main' && `a release is made on main, this is ${branch || 'no branch'}: git switch main`,
    dirty.length > 0 && `the tree has changes, commit or remove them: ${dirty.map((line) => line.trim()).join(', ')}`,
    others.length > 0 &&
      `the workspaces must have one version, ${versions[0][0]} has ${state.version}: ${others.map((pair) => pair.join(' has ')).join(', ')}`,
    tags.includes(`v${version}`) && `the tag v${version} is there already, choose a later version`,
    changelogFault,
  ].filter(Boolean)
}

/** Clones the repository, writes the release into the clone, and returns the paths of the changed files. */
export function writeRelease(folder, { root, state, version }) {
  git(root, 'clone', '--quiet', '--shared', '--no-tags', '.', folder)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(join(folder, 'CHANGELOG.md'), releasedChangelog(state.changelog, { version, date }))
  writeVersions(folder, { workspaces: state.workspaces, from: state.version, to: version })
  return git(folder, 'diff', '--name-only').split('\n')
}

function writeVersions(folder, { workspaces, from, to }) {
  const replace = (path, before) => {
    const text = readText(folder, path)
    if (!text.includes(before)) throw new Error(`${path}: must contain ${before}`)
    writeFileSync(join(folder, path), text.replace(before, before.replace(from, to)))
  }
  for (const name of workspaces) replace(`${name}/package.json`, `"version": "${from}"`)
  replace('server/openapi.json', `"version": "${from}"`)
  for (const path of examplesWithSdk(folder)) replace(path, `"@tossup/sdk": "${from}"`)
  for (const [path, name] of namedElsewhere(from)) replace(path, name)
  const lock = readJson(folder, 'package-lock.json')
  for (const name of workspaces) lock.packages[name].version = to
  writeFileSync(join(folder, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`)
}

const namedElsewhere = (version) => [
  ['docs/guides/run.md', `tossup-${version}.tgz`],
  ['docs/guides/sdk.md', `tossup-sdk-${version}.tgz`],
  ['deploy/kubernetes/postgres.yaml', `/tossup:${version}`],
  ['deploy/kubernetes/sqlite.yaml', `/tossup:${version}`],
  ['examples/wordpress/tossup.php', `Version: ${version}`],
]

function examplesWithSdk(folder) {
  const paths = readdirSync(join(folder, 'examples')).map((name) => `examples/${name}/package.json`)
  const manifests = paths.filter((path) => existsSync(join(folder, path)))
  return manifests.filter((path) => '@tossup/sdk' in (readJson(folder, path).dependencies ?? {}))
}
