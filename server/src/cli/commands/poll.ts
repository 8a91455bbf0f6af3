import { type CreatePoll, createPollBody } from '../../events/resources/poll.ts'
import { createPoll } from '../../features/polls/create-poll.ts'
import { changedPoll } from '../../features/polls/present-poll.ts'
import { type Arguments, type Command, optionalText, requiredText, UsageError } from '../command.ts'
import { brandNamed, operatorWrite, withDatabase } from '../with-database.ts'

export const pollCreate: Command = {
  words: 'poll create',
  usage:
    '--brand SLUG --title TITLE --a LABEL --b LABEL [--slug SLUG] [--opens TIME] [--closes TIME] [--draft] [--private]',
  summary: 'Create a poll of a brand and print its address; TIME as in 2026-01-31T12:00:00Z',
  options: {
    brand: { type: 'string', about: 'The slug of the brand' },
    title: { type: 'string', about: 'The question' },
    a: { type: 'string', about: 'The label of option A' },
    b: { type: 'string', about: 'The label of option B' },
    slug: { type: 'string', about: 'Its name in addresses; derived from the title by default' },
    opens: { type: 'string', about: 'When voting begins' },
    closes: { type: 'string', about: 'When voting ends' },
    draft: { type: 'boolean', about: 'Show it to its owner alone' },
    private: { type: 'boolean', about: 'Leave it out of public lists' },
  },
  run(given) {
    const brand = requiredText(given, 'brand')
    const poll = readPoll(given)
    return withDatabase(async (deps) => {
      const row = await operatorWrite(deps, 'poll.created', async (tx) => {
        const { key: brandKey } = await brandNamed(tx, brand)
        const made = await createPoll(deps, tx, { brandKey, poll })
        return { result: made, brandKey, subject: changedPoll(made) }
      })
      const { id, slug, short_id: shortId } = row
      const shareUrl = `${deps.config.publicUrl}/p/${shortId}`
      return { json: { id, slug, shortId, shareUrl }, text: `Created the poll ${slug}: ${shareUrl}` }
    })
  },
}

/** The rules of `POST /brands/me/polls`, with its problems named by the options. */
function readPoll(given: Arguments): CreatePoll {
  const slug = optionalText(given, 'slug')
  const opens = optionalText(given, 'opens')
  const closes = optionalText(given, 'closes')
  const checked = createPollBody.safeParse({
    title: requiredText(given, 'title'),
    optionA: { label: requiredText(given, 'a') },
    optionB: { label: requiredText(given, 'b') },
    isDraft: given.values['draft'] === true,
    isPrivate: given.values['private'] === true,
    ...(slug === null ? {} : { slug }),
    ...(opens === null ? {} : { opensAt: opens }),
    ...(closes === null ? {} : { closesAt: closes }),
  })
  if (checked.success) return checked.data
  const [problem] = checked.error.issues
  const option = OPTION_OF[problem?.path[0] as keyof typeof OPTION_OF] ?? '--title'
  throw new UsageError(`${option}: ${problem?.message}`)
}

const OPTION_OF = {
  title: '--title',
  optionA: '--a',
  optionB: '--b',
  slug: '--slug',
  opensAt: '--opens',
  closesAt: '--closes',
} as const
