import type { Command } from './command.ts'
import { withDatabase } from './with-database.ts'

export const migrateCommand: Command = {
  words: 'migrate',
  usage: '',
  summary: 'Migrate the database to the schema of this version',
  run: () =>
    withDatabase(
      async ({ migrated }) => ({
        json: { applied: migrated },
        text: migrated.length === 0 ? 'The schema is up to date.' : `Applied ${migrated.join(', ')}.`,
      }),
      { mayMake: true },
    ),
}
