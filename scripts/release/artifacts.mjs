// The artifacts of a release besides its tag: packed packages, licenses, and a software bill of materials.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { dependencyPaths, licenceList, productionPackages } from './packages.mjs'
import { billOfMaterials } from './sbom.mjs'

/** The bench is a workspace that never runs in production. */
const notInProduction = ['bench']

/** Fetched by npm for a release alone. */
const packageChecks = [
  { from: 'publint@0.3.25', command: ['publint', 'run', '--strict'] },
  { from: '@arethetypeswrong/cli@0.18.5', command: ['attw', '--no-color'] },
]

/** Packs the server as the package `tossup`, and each workspace, as npm would publish it. */
export function packAll(source, { workspaces, out, isChecked }) {
  const server = packServer(source, out)
  const libraries = packWorkspaces(source, { workspaces, out })
  if (isChecked) for (const { filename } of libraries) checkLibrary(join(out, filename))
  return [server, ...libraries]
}

function packServer(source, out) {
  execFileSync(process.execPath, ['scripts/build.mjs', 'package', out], {
    cwd: source,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [filename] = readdirSync(out).filter((name) => name.startsWith('tossup-') && name.endsWith('.tgz'))
  const lines = execFileSync('tar', ['-tvzf', join(out, filename)], { encoding: 'utf8' })
    .trim()
    .split('\n')
  const files = lines.map((line) => line.split(/\s+/)).map(([, , size, , , path]) => ({ size, path }))
  return { filename, size: statSync(join(out, filename)).size, files }
}

function packWorkspaces(source, { workspaces, out }) {
  return workspaces.map((name) => {
    const args = ['pack', '--json', '--foreground-scripts=false', '--pack-destination', out]
    const [packed] = JSON.parse(npm(args, join(source, name)))
    return packed
  })
}

/** Throws, with what a tool found, if a package would not work for all who install it. */
function checkLibrary(tarball) {
  for (const { from, command } of packageChecks) {
    try {
      npm(['exec', '--yes', `--package=${from}`, '--', ...command, basename(tarball)], dirname(tarball))
    } catch (error) {
      throw new Error(`${from} refuses ${tarball}:\n${error.stdout || error.message}`)
    }
  }
}

function npm(args, cwd) {
  const script = process.env.npm_execpath
  const isCli = basename(script ?? '') === 'npm-cli.js'
  const [command, ...before] = isCli ? [process.execPath, script] : ['npm']
  return execFileSync(command, [...before, ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Writes LICENSES.txt and sbom.cdx.json. */
export function writeInventory(source, { version, out }) {
  const readJson = (path) => JSON.parse(readFileSync(join(source, path), 'utf8'))
  const lock = readJson('package-lock.json')
  const { name, license, workspaces } = readJson('package.json')
  const roots = ['', ...workspaces.filter((workspace) => !notInProduction.includes(workspace))]
  const manifestOf = (path) =>
    existsSync(join(source, path, 'package.json')) ? readJson(`${path}/package.json`) : undefined
  const fonts = readJson('server/fonts/sources.json').map(fontEntry)
  const packages = [...productionPackages(lock, { roots, manifestOf }), ...fonts]
  const direct = [...roots.flatMap((root) => dependencyPaths(lock, root)), ...fonts.map(({ path }) => path)]
  const facts = { name, version, licence: license, packages, direct, at: new Date().toISOString(), uuid: randomUUID() }
  writeFileSync(join(out, 'LICENSES.txt'), licenceList(packages))
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(facts), null, 2)}\n`)
  return { count: packages.length }
}

// Subsets in the repository, which name the package of the whole font.
function fontEntry({ name, package: from, version }) {
  return { path: `server/fonts/${name}.ttf.br`, name: from, version, licence: 'OFL-1.1', dependsOn: [] }
}
