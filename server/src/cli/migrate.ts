import { PlainFailure, reasonOf } from '../base/errors.ts'
import { counted } from '../base/text.ts'
import { readConfig } from '../config/config.ts'
import { type DistributionPlan, distribute } from '../db/postgres/distribute.ts'
import { type Arguments, type Command, confirm, type Result, UsageError } from './command.ts'
import { withDatabase } from './with-database.ts'

export const migrateCommand: Command = {
  words: 'migrate',
  usage: '[--distribute [--yes]]',
  summary: 'Migrate the database to the schema of this version',
  details: `With --distribute it then divides the votes among the workers of Citus, by poll. It says what it will do, and asks on a terminal unless --yes
is given. Votes are stored meanwhile. What is done already stays as it is, so the command can be repeated.`,
  options: {
    distribute: { type: 'boolean', about: 'Distribute the votes over the workers of Citus; PostgreSQL only' },
    yes: { type: 'boolean', about: 'Distribute without asking' },
  },
  run(given) {
    if (given.values['distribute'] === true) return migrateAndDistribute(given)
    if (given.values['yes'] === true) throw new UsageError('--yes belongs to --distribute.')
    return migrateOnly()
  },
}

const migrateOnly = (): Promise<Result> =>
  withDatabase(async ({ migrated }) => ({ json: { applied: migrated }, text: textOfMigrations(migrated) }), {
    mayMake: true,
  })

const textOfMigrations = (migrated: readonly string[]): string =>
  migrated.length === 0 ? 'The schema is up to date.' : `Applied ${migrated.join(', ')}.`

async function migrateAndDistribute(given: Arguments): Promise<Result> {
  const { database } = readConfig()
  if (database.engine !== 'postgres') {
    throw new PlainFailure('Only PostgreSQL with Citus can distribute votes. Set DATABASE_URL to such a database.')
  }
  const applied = await withDatabase(async ({ migrated }) => migrated)
  // A pooler takes the advisory lock of one statement for the next client.
  const { steps, workers, version } = await distributed(database.directUrl ?? database.url, async (plan) => {
    const what = textOfPlan(plan)
    if (given.values['yes'] === true) console.error(what)
    await confirm(given, { what, word: 'yes' })
  })
  const done = steps.map(({ table, kind }) => ({ table, kind }))
  const text =
    done.length === 0
      ? 'The votes are already distributed.'
      : `Distributed over ${counted(workers, 'node')} of Citus: ${done.map(({ table }) => table).join(', ')}.`
  return {
    json: { applied, citus: version, nodes: workers, distributed: done },
    text: [textOfMigrations(applied), text],
  }
}

async function distributed(url: string, onPlan: (plan: DistributionPlan) => Promise<void>): Promise<DistributionPlan> {
  try {
    return await distribute(url, onPlan)
  } catch (error) {
    if (error instanceof PlainFailure || error instanceof UsageError) throw error
    throw new PlainFailure(
      `The votes are not distributed completely: ${reasonOf(error)}. No vote is lost. Remove the cause, then run the command again: it continues.`,
      { cause: error },
    )
  }
}

function textOfPlan({ version, workers, steps }: DistributionPlan): string {
  const lines = steps.map(({ table, kind, hasRows }) => {
    if (kind === 'reference') return `  ${table}: copied to every node`
    return `  ${table}: divided by poll${hasRows ? '; its rows are copied while votes go on' : ''}`
  })
  return [`Citus ${version} with ${counted(workers, 'node')} for votes will store:`, ...lines].join('\n')
}
