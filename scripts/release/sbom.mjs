/** A software bill of materials as CycloneDX 1.6 JSON. `packages` is the result of `productionPackages`. */
export function billOfMaterials({ name, version, licence, packages, direct, at, uuid }) {
  const refs = new Map(packages.map((entry) => [entry.path, packageUrl(entry)]))
  const refsOf = (paths) => [...new Set(paths.map((path) => refs.get(path)))].sort()
  const root = packageUrl({ name, version })
  const unique = [...new Map(packages.map((entry) => [refs.get(entry.path), entry])).entries()]
  const dependencies = new Map([[root, refsOf(direct)]])
  for (const { path, dependsOn } of packages) {
    const ref = refs.get(path)
    dependencies.set(ref, [...new Set([...(dependencies.get(ref) ?? []), ...refsOf(dependsOn)])].sort())
  }
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      timestamp: at,
      component: { type: 'application', 'bom-ref': root, name, version, licenses: licences(licence), purl: root },
    },
    components: unique.map(([ref, entry]) => component(ref, entry)),
    dependencies: [...dependencies].map(([ref, dependsOn]) => ({ ref, dependsOn })),
  }
}

function component(ref, { name, version, licence, integrity }) {
  const [group, short] = name.startsWith('@') ? name.split('/') : [undefined, name]
  return {
    type: 'library',
    'bom-ref': ref,
    ...(group ? { group } : {}),
    name: short,
    version,
    ...(integrity ? { hashes: hashes(integrity) } : {}),
    licenses: licences(licence),
    purl: ref,
  }
}

const packageUrl = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`

const licences = (text) => (/ (AND|OR|WITH) /.test(text) ? [{ expression: text }] : [{ license: { id: text } }])

// The lockfile has `sha512-<base64>`, CycloneDX wants hexadecimal.
function hashes(integrity) {
  return integrity.split(' ').map((one) => {
    const [name, base64] = one.split(/-(.*)/s)
    return { alg: name.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(base64, 'base64').toString('hex') }
  })
}
