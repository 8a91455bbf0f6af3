import { checkDatabase, databaseFaults } from '../../backup/check-database.ts'
import { checkFiles } from '../../backup/check-files.ts'
import { iso } from '../../base/clock.ts'
import { reasonOf } from '../../base/errors.ts'
import { counted } from '../../base/text.ts'
import type { Config } from '../../config/config.ts'
import { assertSecretOpens, WRAPPED_KEYS } from '../../db/data-keys.ts'
import { migrationNames } from '../../db/migrate.ts'
import { secretFromFile } from '../../db/secret-file.ts'
import { openSnapshot } from '../../db/snapshots/open-snapshot.ts'
import type { Snapshot } from '../../db/snapshots/snapshot.ts'
import { FINDINGS } from '../../features/operator/findings.ts'
import { openFilesBeside } from '../../files/open-files.ts'
import { type Finding, fault, listed, ok, warning } from './finding.ts'

type Select = Snapshot['select']

/** Everything that needs the database. If it cannot be opened, or must not be, that is the only finding. */
export async function examineDatabase(config: Config): Promise<Finding[]> {
  let snapshot: Snapshot
  try {
    snapshot = await openSnapshot(config)
  } catch (error) {
    return [fault('database', reasonOf(error), 'Correct the setting, or start the database.')]
  }
  try {
    const place = config.database.engine === 'postgres' ? 'PostgreSQL' : `SQLite in ${config.database.dataDir}`
    const migrations = await examineMigrations(snapshot.select)
    // The tables of another version may be different ones.
    if (migrations.status !== 'ok') return [ok('database', place), migrations]
    return [
      ok('database', place),
      migrations,
      await examineSecret(snapshot.select, config),
      await examineClock(snapshot.select, config),
      await examineVotes(snapshot),
      await examineFiles(snapshot.select, config),
      await examineWebhooks(snapshot.select),
    ]
  } finally {
    await snapshot.close()
  }
}

async function examineMigrations(select: Select): Promise<Finding> {
  const applied = await select<{ name: string }>('select name from migrations').catch(() => [])
  const known = migrationNames()
  const newer = applied.find(({ name }) => !known.includes(name))
  if (newer) {
    return fault(
      'migrations',
      `the database has ${newer.name}, which this version does not know`,
      'Install the newer version.',
    )
  }
  const missing = known.length - applied.length
  if (missing === 0) return ok('migrations', 'up to date')
  return warning(
    'migrations',
    `${counted(missing, 'is', 'are')} not applied`,
    'Make a backup, then start this version or run `tossup migrate`.',
  )
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
    const advice = kept
      ? 'Put the secret of this database into SECRET_KEY, or its secret.key back into DATA_DIR.'
      : 'Set SECRET_KEY to the secret of this database.'
    return fault('secret', reasonOf(error), advice)
  }
}

const MOST_APART_MS = 2_000

async function examineClock(select: Select, { database }: Config): Promise<Finding> {
  const query =
    database.engine === 'postgres'
      ? 'select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as at'
      : 'select max(updated_at) as at from polls'
  const before = Date.now()
  const at = (await select<{ at: number | null }>(query))[0]?.at ?? 0
  const apart = at - before
  const advice = 'Synchronise the clocks (NTP): limits, opening times and leases are compared between machines.'
  if (database.engine === 'sqlite') {
    return apart < MOST_APART_MS
      ? ok('clock', iso(before))
      : fault('clock', `it is ${iso(before)}, but a poll was changed at ${iso(at)}`, advice)
  }
  return Math.abs(apart) < MOST_APART_MS
    ? ok('clock', `within ${Math.abs(apart)} ms of the database`)
    : fault('clock', `${Math.abs(apart)} ms ${apart > 0 ? 'behind' : 'ahead of'} the database`, advice)
}

async function examineVotes(snapshot: Snapshot): Promise<Finding> {
  const findings = await checkDatabase(snapshot)
  const { counts, damage, wrongPolls } = findings
  const [example] = databaseFaults(findings)
  if (damage.length > 0 && example !== undefined) {
    return fault('votes', example, 'Stop the server, keep the files as they are, and look for a sound backup.')
  }
  const differing = wrongPolls.length
  if (FINDINGS.tally_drift.isFound({ audit: { differing } })) {
    return listed('votes', 'tally_drift', { values: { count: differing }, ...(example ? { example } : {}) })
  }
  const [votes, polls] = [counts['votes'] ?? 0, counts['polls'] ?? 0]
  return ok('votes', `${counted(votes, 'vote agrees', 'votes agree')} with the tallies of ${counted(polls, 'poll')}`)
}

async function examineFiles(select: Select, config: Config): Promise<Finding> {
  const store = config.s3 ? 'the bucket of S3_URL' : 'DATA_DIR/files'
  try {
    const { files, missing, wrongSize } = await checkFiles(select, openFilesBeside(config))
    const [wrong] = [...missing, ...wrongSize]
    if (wrong === undefined) return ok('pictures', `${files} in ${store}`)
    const found = `${counted(missing.length + wrongSize.length, 'picture is', 'pictures are')} missing or damaged in ${store}, such as ${wrong}`
    return fault('pictures', found, 'Restore them from a backup, or run `tossup storage move` if they are elsewhere.')
  } catch (error) {
    return fault('pictures', reasonOf(error), `Make ${store} available.`)
  }
}

interface FailingWebhook {
  readonly id: string
  readonly slug: string
  readonly failing_since: number
}

async function examineWebhooks(select: Select): Promise<Finding> {
  const failing = await select<FailingWebhook>(
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
