import { PlainFailure } from '../base/errors.ts'
import { counted } from '../base/text.ts'
import { readConfig } from '../config/config.ts'
import { assertNoUnfinishedRestore } from '../db/open.ts'
import { type Rollback, rollBack } from '../db/sqlite/rollback.ts'
import { confirm } from './ask.ts'
import type { Command } from './command.ts'

export const rollbackCommand: Command = {
  words: 'rollback',
  usage: '[--yes]',
  summary: 'Put the database from before the last upgrade back, while no server runs; SQLite only',
  details: `An upgrade that changes the schema keeps a copy of the database in DATA_DIR/before-VERSION. What was written since is not in that copy. The
command says which version made the copy, when, and how many votes and polls it lacks, and asks on a terminal unless --yes is given. It keeps
the database with them in DATA_DIR/rolled-back-TIME. Then start the earlier version; this version would upgrade again.`,
  options: { yes: { type: 'boolean', about: 'Roll back without asking' } },
  async run(given) {
    const { database } = readConfig()
    if (database.engine !== 'sqlite') {
      throw new PlainFailure(
        'Only SQLite databases can be rolled back. On PostgreSQL, restore a backup from before the upgrade into an empty database.',
      )
    }
    assertNoUnfinishedRestore(database.dataDir)
    const done = await rollBack(database.dataDir, {
      now: Date.now(),
      confirm: (rollback) => confirm(given, { what: whatOf(rollback), word: rollback.from }),
    })
    return { json: { rolledBack: true, ...done }, text: textOf(done) }
  },
}

function whatOf({ from, version, upgradedAt, lostVotes, lostPolls }: Rollback): string {
  const time = upgradedAt === null ? '' : ` at ${upgradedAt}`
  return `${from} is the database from before the upgrade to ${version}${time}. It lacks ${counted(lostVotes, 'vote')} and ${counted(lostPolls, 'poll')} from after it.`
}

function textOf({ from, keptIn, votes, lostVotes, lostPolls }: Rollback): string {
  const lost = `It lacks ${counted(lostVotes, 'vote')} and ${counted(lostPolls, 'poll')} from after the upgrade`
  return `The database is the one of ${from} again, with ${counted(votes, 'vote')}. ${lost}: they are in ${keptIn}. Start the earlier version now; this version would upgrade again.`
}
