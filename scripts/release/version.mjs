/** Resolves `wanted` (`patch`, `minor`, `major` or x.y.z) to the version after `current`; throws if it is invalid. */
export function nextVersion(current, wanted) {
  const [major, minor, patch] = current.split('.').map(Number)
  if (wanted === 'major') return `${major + 1}.0.0`
  if (wanted === 'minor') return `${major}.${minor + 1}.0`
  if (wanted === 'patch') return `${major}.${minor}.${patch + 1}`
  if (!/^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})$/.test(wanted))
    throw new RangeError(`the version must be patch, minor, major or x.y.z, got "${wanted}"`)
  if (wanted.localeCompare(current, 'en', { numeric: true }) <= 0)
    throw new RangeError(`${wanted} must be greater than ${current}`)
  return wanted
}
