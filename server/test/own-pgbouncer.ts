import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { asAdmin } from './own-database.ts'
import { findProgram } from './programs.ts'

/** Debian installs it beside the programs of an administrator. */
export const pgbouncer =
  process.env['PGBOUNCER_PATH'] || findProgram('pgbouncer', `${process.env['PATH']}${delimiter}/usr/sbin`)

/** The first version that keeps prepared statements in transaction mode. */
const PREPARES_SINCE = '1.21.0'
const version = pgbouncer ? versionOf(pgbouncer) : null
export const canPrepare = version !== null && Bun.semver.satisfies(version, `>=${PREPARES_SINCE}`)
if (version !== null && !canPrepare) {
  process.stderr.write(
    `PgBouncer ${version} has no prepared statements in transaction mode (PGBOUNCER_PATH may name another): tests with them are skipped\n`,
  )
}

function versionOf(program: string): string {
  const text = Bun.spawnSync([program, '--version']).stdout.toString()
  const found = /^PgBouncer (\d+\.\d+\.\d+)/.exec(text)?.[1]
  if (!found) throw new Error(`${program} is no PgBouncer: ${text}`)
  return found
}

/** PgBouncer refuses to run as root. Its folder belongs to this user. */
const NOBODY = 65_534
const isRoot = userInfo().uid === 0
const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

interface Options {
  /** Few, so that clients must share them. */
  readonly connections?: number
  readonly isPreparing?: boolean
}

/** A PgBouncer in transaction mode before the database of this URL. */
export async function startPgbouncer(databaseUrl: string, { connections = 3, isPreparing = false }: Options = {}) {
  const target = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'tossup-pgbouncer-'))
  const port = freePort()
  const name = target.pathname.slice(1)
  const password = target.password ? ` password=${decodeURIComponent(target.password)}` : ''
  const config = join(folder, 'pgbouncer.ini')
  await Bun.write(
    config,
    `[databases]
${name} = host=${target.hostname} port=${target.port || 5432} user=${decodeURIComponent(target.username)}${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
${canPrepare ? `max_prepared_statements = ${isPreparing ? 200 : 0}` : ''}
`,
  )
  if (isRoot) for (const path of [folder, config]) await chown(path, NOBODY, NOBODY)
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}`, password: '' }).href
  const answers = () =>
    asAdmin(url, 'select 1').then(
      () => true,
      () => false,
    )
  let child: Bun.Subprocess | null = null
  const start = async () => {
    child = Bun.spawn([...asNobody, pgbouncer ?? 'pgbouncer', '-q', config], { stdout: 'ignore', stderr: 'ignore' })
    await eventually(answers)
  }
  const kill = async () => {
    child?.kill('SIGKILL')
    await child?.exited
  }
  const stop = async () => {
    await kill()
    await rm(folder, { recursive: true, force: true })
  }
  await start().catch(async (error) => {
    await stop()
    throw error
  })
  return { url, start, kill, stop }
}
