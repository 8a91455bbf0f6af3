import type { Deps } from '../../deps.ts'

/** Counts the rules by which stylesheets are read: caches hold under an address what was printed by its rules. */
const EDITION = 2
/** Where a stored stylesheet does not begin with it, earlier rules printed it. */
export const PRINTED_BY = `/* rules ${EDITION} */\n`

const FILE = new RegExp(`^v(0|[1-9]\\d{0,14})(?:-${EDITION})?\\.css$`)

export const stylesheetUrl = ({ config }: Pick<Deps, 'config'>, slug: string, version: number): string =>
  `${config.publicUrl}/css/${slug}/v${version}-${EDITION}.css`

/** Null for a file name that this service does not create. */
export const versionIn = (file: string): number | null => {
  const digits = FILE.exec(file)?.[1]
  return digits === undefined ? null : Number(digits)
}
