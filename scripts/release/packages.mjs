// The packages that run in production, read from package-lock.json: found from the workspaces as Node resolves modules.

/** Each package once: path in node_modules, name, version, licence, integrity, and the paths of its dependencies. */
export function productionPackages(lock, { roots, manifestOf }) {
  const found = new Map()
  const waiting = roots.flatMap((root) => dependencyPaths(lock, root))
  while (waiting.length > 0) {
    const path = waiting.pop()
    if (found.has(path)) continue
    const dependsOn = dependencyPaths(lock, path)
    found.set(path, { ...describe(lock.packages[path], path, manifestOf(path)), dependsOn })
    waiting.push(...dependsOn)
  }
  return [...found.values()].sort((left, right) => (left.path < right.path ? -1 : 1))
}

/** Paths of the direct dependencies. Optional dependencies may be missing from the lockfile. */
export function dependencyPaths(lock, from) {
  const { dependencies = {}, optionalDependencies = {} } = lock.packages[from]
  const names = Object.keys({ ...dependencies, ...optionalDependencies })
  return names.flatMap((name) => {
    const path = resolve(lock, from, name)
    if (path) return [path]
    if (name in optionalDependencies) return []
    throw new Error(`package-lock.json: ${from || 'the root'} depends on ${name}, which is not in it; run npm install`)
  })
}

function resolve(lock, from, name) {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/'), 0))) {
    const path = `${place ? `${place}/` : ''}node_modules/${name}`
    if (lock.packages[path]) return path
    if (!place) return undefined
  }
}

// A package for another platform is not installed, so only the lockfile describes it.
function describe(locked, path, manifest) {
  const name = manifest?.name ?? locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  if (manifest && manifest.version !== locked.version) {
    throw new Error(`${path}: ${manifest.version} is installed, package-lock.json has ${locked.version}; run npm ci`)
  }
  const licence = typeof manifest?.license === 'string' ? manifest.license : locked.license
  if (typeof licence !== 'string') throw new Error(`${path}: no licence in its package.json; ask its authors`)
  return { path, name, version: locked.version, licence, integrity: locked.integrity }
}

/** One line for each package, sorted by licence. */
export function licenceList(packages) {
  const lines = packages.map(({ name, version, licence }) => `${licence}\t${name}@${version}`)
  return `${[...new Set(lines)].sort().join('\n')}\n`
}
