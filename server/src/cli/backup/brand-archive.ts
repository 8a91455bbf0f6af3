import { archiveSource } from '../../backup/archive-reader.ts'
import { fileSink } from '../../backup/sinks.ts'
import { counted } from '../../base/text.ts'
import { readConfig } from '../../config/config.ts'
import { type Command, requiredArgument, requiredText } from '../command.ts'
import { withDatabase } from '../with-database.ts'
import { exportBrand } from './export-brand.ts'
import { importBrand } from './import-brand.ts'
import { withIsolation } from './load-backup.ts'

export const brandExport: Command = {
  words: 'brand export',
  usage: '--brand SLUG --out FILE [--votes]',
  summary: 'Write one brand into one file: profile, theme, polls, pictures and campaigns',
  details: 'Apps, API keys and webhooks are left out: they belong to the service.',
  options: {
    brand: { type: 'string', about: 'The slug of the brand' },
    out: { type: 'string', about: 'The file to write' },
    votes: { type: 'boolean', about: 'With votes, timelines and respondents' },
  },
  async run(given) {
    const slug = requiredText(given, 'brand')
    const path = requiredText(given, 'out')
    const hasVotes = given.values['votes'] === true
    const exported = await exportBrand(readConfig(), { slug, hasVotes, openSink: () => fileSink(path) })
    const { counts, missingFiles } = exported
    const missing = missingFiles.length > 0 ? ` Not in the file store: ${counted(missingFiles.length, 'picture')}.` : ''
    const votes = hasVotes ? counted(counts['votes'] ?? 0, 'vote') : 'no votes'
    return {
      json: exported,
      text: `Wrote the brand ${slug} to ${path}: ${counted(counts['polls'] ?? 0, 'poll')}, ${counted(counts['campaigns'] ?? 0, 'campaign')}, ${votes}.${missing}`,
    }
  },
}

export const brandImport: Command = {
  words: 'brand import',
  usage: 'FILE|-',
  summary: 'Add the brand of an archive, with the ids and links that it had',
  details: `Its slug and ids must be free. Create its apps and webhooks again. With votes, the devices of voters are not recognised again unless the service
was restored from a backup of the same one: each service hashes them with a key of its own.`,
  positionals: 1,
  run(given) {
    const path = requiredArgument(given, 'FILE')
    return withDatabase(
      async (deps) => {
        const imported = await withIsolation((isolation) => importBrand({ ...deps, isolation }, archiveSource(path)))
        const { slug, counts, hasVotes, sameLabels } = imported
        const votes = hasVotes ? counted(counts['votes'] ?? 0, 'vote') : 'no votes'
        const labels = sameLabels.length > 0 ? ` Give two different labels to: ${sameLabels.join(', ')}.` : ''
        return {
          json: imported,
          text: `Imported the brand ${slug}: ${counted(counts['polls'] ?? 0, 'poll')}, ${counted(counts['campaigns'] ?? 0, 'campaign')}, ${votes}.${labels}`,
        }
      },
      { mayMake: true },
    )
  },
}
