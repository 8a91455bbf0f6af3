import { DAY, iso } from '../../base/clock.ts'
import { counted } from '../../base/text.ts'
import { purgeGuests } from '../../features/campaigns/respondents/purge-guests.ts'
import { type Command, requiredText, wholeNumber } from '../command.ts'
import { withDatabase } from '../with-database.ts'

const MOST_DAYS = 36_500

export const purgeCommand: Command = {
  words: 'purge',
  usage: '--older-than DAYS',
  summary: 'Forget guests whose last vote is older than DAYS; their votes stay counted',
  options: { 'older-than': { type: 'string', about: 'Days since the last vote, from 1 to 36500' } },
  run(given) {
    const days = wholeNumber('older-than', requiredText(given, 'older-than'), { least: 1, most: MOST_DAYS })
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
