import { Database } from 'bun:sqlite'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PlainFailure } from '../../base/errors.ts'
import { syncPath } from '../../base/machine.ts'
import type { RestoredParts } from '../loaded-parts.ts'

const PARTS = ['tossup.sqlite', 'tossup.sqlite-wal']

/** The files of a dump of SQLite, in a folder of their own. */
export function loadSqliteFiles(folder: string): RestoredParts {
  const path = join(folder, 'tossup.sqlite')
  let file: Database | null = null
  const close = async () => {
    file?.close()
    file = null
  }
  return {
    async take(name, chunks) {
      if (!PARTS.includes(name)) throw new PlainFailure(`The backup holds "${name}", which is no part of a database.`)
      const target = await open(join(folder, basename(name)), 'w', 0o600)
      try {
        for await (const chunk of chunks) await target.write(chunk)
        await target.sync()
      } finally {
        await target.close()
      }
    },
    async ready() {
      const opened = new Database(path, { readwrite: true, create: false, strict: true })
      file = opened
      // The log becomes part of the database, so that it is one file from here on.
      opened.run('pragma wal_checkpoint(truncate)')
      return { select: async <Row>(query: string) => opened.query<Row, []>(query).all() }
    },
    async commit() {
      await close()
      for (const each of [path, folder]) syncPath(each)
    },
    close,
  }
}
