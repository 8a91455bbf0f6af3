import type { Deps } from '../../deps.ts'

const FILE = /^v(0|[1-9]\d{0,14})\.css$/

export const stylesheetUrl = ({ config }: Pick<Deps, 'config'>, slug: string, version: number): string =>
  `${config.publicUrl}/css/${slug}/v${version}.css`

/** Null for a file name that this service does not create. */
export const versionIn = (file: string): number | null => {
  const digits = FILE.exec(file)?.[1]
  return digits === undefined ? null : Number(digits)
}
