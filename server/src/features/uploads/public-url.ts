import type { Deps } from '../deps.ts'

/** Where everybody can read the file with this key. */
export const publicUrl = ({ config }: Pick<Deps, 'config'>, key: string): string =>
  `${config.filesUrl ?? `${config.publicUrl}/files`}/${key}`
