import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './free-port.ts'
import { asAdmin } from './own-database.ts'

/** Debian installs it beside the programs of an administrator. */
export const pgbouncer = Bun.which('pgbouncer') ?? Bun.which('pgbouncer', { PATH: '/usr/sbin' })

/** PgBouncer refuses to run as root. Its folder belongs to this user. */
const NOBODY = 65_534
const isRoot = userInfo().uid === 0
const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : []

/** A PgBouncer in transaction mode before the database of this URL, with few connections, so that clients must share them. */
export async function startPgbouncer(databaseUrl: string, connections = 3) {
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
`,
  )
  if (isRoot) for (const path of [folder, config]) await chown(path, NOBODY, NOBODY)
  const child = Bun.spawn([...asNobody, pgbouncer ?? 'pgbouncer', '-q', config], { stdout: 'ignore', stderr: 'ignore' })
  const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}`, password: '' }).href
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
    await rm(folder, { recursive: true, force: true })
  }
  const answers = () =>
    asAdmin(url, 'select 1').then(
      () => true,
      () => false,
    )
  await eventually(answers).catch(async (error) => {
    await stop()
    throw error
  })
  return { url, stop }
}
