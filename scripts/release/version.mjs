const steps = ['major', 'minor', 'patch']

/** Resolves `wanted` (`patch`, `minor`, `major` or x.y.z) to the version after `current`; throws if it is invalid. */
export function nextVersion(current, wanted) {
  const parts = parse(current)
  const step = steps.indexOf(wanted)
  if (step >= 0) return parts.map((part, index) => (index > step ? 0 : part + (index === step ? 1 : 0))).join('.')
  parse(wanted)
  if (wanted.localeCompare(current, 'en', { numeric: true }) <= 0)
    throw new RangeError(`${wanted} must be greater than ${current}`)
  return wanted
}

function parse(version) {
  const match = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.exec(version)
  if (!match) throw new RangeError(`the version must be patch, minor, major or x.y.z, got "${version}"`)
  return match.slice(1).map(Number)
}
