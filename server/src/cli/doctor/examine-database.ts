import { checkDatabase, checkFiles, databaseFaults } from '../../backup/check-database.ts'
import { iso } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import { counted } from '../../base/text.ts'
import type { Config } from '../../config/config.ts'
import { assertSecretOpens, WRAPPED_KEYS } from '../../db/data-keys.ts'
import { migrationNames } from '../../db/migrate.ts'
import { secretFromFile } from '../../db/secret-file.ts'
import { SERVICE, type ServiceRow } from '../../db/service-row.ts'
import { openSnapshot } from '../../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../../db/snapshots/snapshot.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { type Finding, listed, ok, problem } from './remedies.ts'

type Select = Snapshot['select']

/** Everything that needs the database. If it cannot be opened, or must not be, that is the only finding. */
export async function examineDatabase(config: Config) {
  let snapshot: Snapshot
  try {
    snapshot = await openSnapshot(config)
  } catch (error) {
    return { findings: [problem('database_unusable', reasonOf(error))], service: null }
  }
  try {
    const place = config.database.engine === 'postgres' ? 'PostgreSQL' : `SQLite in ${config.database.dataDir}`
    const migrations = await examineMigrations(snapshot.select)
    // The tables of another version may be different ones.
    if (migrations.status !== 'ok') return { findings: [ok('database', place), migrations], service: null }
    const findings = [
      ok('database', place),
      migrations,
      await examineSecret(snapshot.select, config),
      await examineVotes(snapshot),
      await examineLogs(snapshot.select),
      await examineFiles(snapshot.select, config),
      await examineWebhooks(snapshot.select),
    ]
    const [service = null] = await snapshot.select<ServiceRow>(SERVICE)
    return { findings, service }
  } catch (error) {
    return { findings: [problem('database_unusable', reasonOf(error))], service: null }
  } finally {
    await snapshot.close()
  }
}

async function examineMigrations(select: Select): Promise<Finding> {
  const applied = await select<{ name: string }>('select name from migrations').catch(() => [])
  const known = migrationNames()
  const newer = applied.find(({ name }) => !known.includes(name))
  if (newer) {
    return problem('migrations_newer', `the database has ${newer.name}, which this version does not know`)
  }
  const missing = known.length - applied.length
  if (missing === 0) return ok('migrations', 'up to date')
  return problem('migrations_missing', `${counted(missing, 'is', 'are')} not applied`)
}

async function examineSecret(select: Select, { database, secretKeys }: Config): Promise<Finding> {
  const kept = database.engine === 'sqlite' && secretKeys.length === 0
  const place = kept ? 'secret.key in DATA_DIR' : 'SECRET_KEY'
  try {
    const own = database.engine === 'sqlite' ? secretFromFile(database.dataDir, { make: false }) : null
    const secrets = kept ? [own].filter((secret) => secret !== null) : secretKeys
    assertSecretOpens(await select(WRAPPED_KEYS), secrets)
    return ok('secret', `${place} opens the data keys`)
  } catch (error) {
    return problem(kept ? 'secret_file_wrong' : 'secret_wrong', reasonOf(error))
  }
}

async function examineVotes(snapshot: Snapshot): Promise<Finding> {
  const findings = await checkDatabase(snapshot)
  const { counts, damage, wrongPolls, wrongUses } = findings
  const [example] = databaseFaults(findings)
  if (damage.length > 0 && example !== undefined) {
    return problem('database_damaged', example)
  }
  const differing = wrongPolls.length + wrongUses.length
  if (FINDINGS.tally_drift.isFound({ audit: { differing } })) {
    return listed('votes', 'tally_drift', { values: { count: differing }, ...(example ? { example } : {}) })
  }
  const [votes, polls] = [counts['votes'] ?? 0, counts['polls'] ?? 0]
  return ok('votes', `${counted(votes, 'vote agrees', 'votes agree')} with the tallies of ${counted(polls, 'poll')}`)
}

/** Reads no votes: `tossup verify` hashes all of them. */
async function examineLogs(select: Select): Promise<Finding> {
  const [ahead] = await select<{ id: string; size: number; votes: number }>(
    `select polls.id, size, option_a + option_b as votes from poll_logs join polls on polls.key = poll_logs.poll_key
     join tallies on tallies.poll_key = polls.key
     where ended_at is null and deleted_at is null and size > option_a + option_b order by polls.key limit 1`,
  )
  if (ahead) return problem('logs_ahead', `that of poll ${ahead.id} holds ${ahead.size} votes of ${ahead.votes}`)
  const [found] = await select<{ live: number; ended: number; last: number | null }>(
    'select count(case when ended_at is null then 1 end) as live, count(ended_at) as ended, max(ended_at) as last from poll_logs',
  )
  const { live = 0, ended = 0, last = null } = found ?? {}
  const again = last === null ? '' : `; ${counted(ended, 'earlier one')} ended, the last at ${iso(last)}`
  return ok('logs', `${counted(live, 'poll has', 'polls have')} one${again}`)
}

async function examineFiles(select: Select, config: Config): Promise<Finding> {
  const store = config.s3 ? 'the bucket of S3_URL' : 'DATA_DIR/files'
  try {
    const { files, missing, wrongSize } = await checkFiles(select, openFilesBeside(config))
    const [wrong] = [...missing, ...wrongSize]
    if (wrong === undefined) return ok('pictures', `${files} in ${store}`)
    const found = `${counted(missing.length + wrongSize.length, 'picture is', 'pictures are')} missing or damaged in ${store}, such as ${wrong}`
    return problem('pictures_missing', found)
  } catch (error) {
    return problem('pictures_away', reasonOf(error), { store })
  }
}

async function examineWebhooks(select: Select): Promise<Finding> {
  const failing = await select<{ id: string; slug: string; failing_since: number }>(
    `select webhooks.id, brands.slug, failing_since from webhooks join brands on brands.key = webhooks.brand_key
     where failing_since is not null order by failing_since`,
  )
  const [first] = failing
  if (!first || !FINDINGS.webhooks_failing.isFound({ queues: { failingWebhooks: failing.length } })) {
    return ok('webhooks', 'none fails')
  }
  const example = `${first.id} of ${first.slug} since ${iso(first.failing_since)}`
  return listed('webhooks', 'webhooks_failing', { values: { count: failing.length }, example })
}
