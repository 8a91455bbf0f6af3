import { counted } from '../../base/text.ts'
import { transaction } from '../../db/transaction.ts'
import { holdLogged, restartLogs } from '../../features/log/restart-logs.ts'
import { confirm } from '../ask.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../with-database.ts'

export const logRestart: Command = {
  words: 'log restart',
  usage: '[--yes]',
  summary:
    'Begin the logs of all polls again, after the database has lost commits in a failover or a recovery to a point in time',
  details:
    'Checkpoints may name votes that the database has no more. Each poll gets a log under a new origin, which tells the last size of the one before. A restore of a backup does this by itself.',
  options: { yes: { type: 'boolean', about: 'Begin again without asking' } },
  run: (given) =>
    withDatabase(async ({ clock, engine }) => {
      await confirm(given, { what: 'This ends the logs of all polls and begins new ones.', word: 'restart' })
      const ended = await transaction(engine, async (tx) => {
        await holdLogged(engine, tx)
        return restartLogs(tx, clock.now())
      })
      return { json: { ended }, text: `Ended ${counted(ended, 'log')}. The server begins new ones within seconds.` }
    }),
}
