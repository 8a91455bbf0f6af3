// The artifacts of a release besides its tag: packed packages, licenses, and a software bill of materials.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

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
  execFileSync(process.execPath, ['scripts/run-tool.mjs', 'server/tools/build/build.ts', 'package', out], {
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

/** Writes LICENSES.txt and sbom.cdx.json, both from the lockfile. Returns the number of packages. */
export function writeInventory(source, { version, out }) {
  // npm makes no bill for a package without a version, and ours are in the workspaces.
  npm(['pkg', 'set', `version=${version}`], source)
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only', '--omit=dev']
  const bill = JSON.parse(npm(['sbom', '--loglevel=error', ...options], source))
  const components = [...bill.components, ...fonts(source)]
  writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify({ ...bill, components }, null, 2)}\n`)
  writeFileSync(join(out, 'LICENSES.txt'), licenceList(components))
  return components.length
}

/** One line for each package, sorted by licence. Throws if one has none. */
export function licenceList(components) {
  const lines = components.map(({ name, version, licenses: [{ expression, license } = {}] = [] }) => {
    const licence = expression ?? license?.id ?? license?.name
    if (!licence) throw new Error(`${name}@${version}: no licence in its package.json; ask its authors`)
    return `${licence}\t${name}@${version}`
  })
  return `${[...new Set(lines)].sort().join('\n')}\n`
}

/** Subsets in the repository, which name the package of the whole font. */
function fonts(source) {
  const sources = JSON.parse(readFileSync(join(source, 'server/fonts/sources.json'), 'utf8'))
  return sources.map(({ package: name, version }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: 'OFL-1.1' } }],
  }))
}
