import { DAY, iso } from '../../base/clock.ts'
import { counted } from '../../base/text.ts'
import { purgeGuests } from '../../features/campaigns/respondents/purge-guests.ts'
import { type Command, requiredText, UsageError } from '../command.ts'
import { withDatabase } from '../with-database.ts'

const MOST_DAYS = 36_500

export const purgeCommand: Command = {
  words: 'purge',
  usage: '--older-than DAYS',
  summary: 'Forget guests whose last vote is older than DAYS; their votes stay counted',
  options: { 'older-than': { type: 'string', about: 'Days since the last vote, from 1 to 36500' } },
  run(given) {
    const days = readDays(requiredText(given, 'older-than'))
    return withDatabase(async ({ engine }) => {
      const before = (await engine.votingTime(engine.db)) - days * DAY
      const forgotten = await purgeGuests(engine, before)
      return {
        json: { forgotten, before: iso(before) },
        text: `Forgot ${counted(forgotten, 'guest')} whose last vote was before ${iso(before)}. Votes, tallies and positions are unchanged.`,
      }
    })
  },
}

function readDays(text: string): number {
  const days = Number(text)
  if (!/^\d+$/.test(text) || days < 1 || days > MOST_DAYS) {
    throw new UsageError(`--older-than must be a whole number of days from 1 to ${MOST_DAYS}.`)
  }
  return days
}
