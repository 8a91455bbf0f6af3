// The artifacts of a release besides its tag: packed packages, licenses, and a software bill of materials.
import { execFileSync } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/** Packs the server as the package `tossup`, and each workspace, as npm would publish it. */
export function packAll(source, { workspaces, out }) {
  return [packServer(source, out), ...packWorkspaces(source, { workspaces, out })]
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
  const bill = npm(['sbom', '--loglevel=error', ...options], source)
  writeFileSync(join(out, 'sbom.cdx.json'), bill)
  const { components } = JSON.parse(bill)
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
