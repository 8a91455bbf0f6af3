import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '../free-port.ts'
import { asAdmin } from '../own-database.ts'
import { findProgram } from '../programs.ts'

const START_WITHIN_MS = 30_000
const DEBIAN = '/usr/lib/postgresql'

/** The folder of the newest initdb, or null. Debian does not put it on the PATH. */
export async function findPostgres(): Promise<string | null> {
  const versions = await readdir(DEBIAN).catch(() => [])
  const folders = versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN, version, 'bin'))
  const initdb = findProgram('initdb', [...folders, process.env['PATH']].join(delimiter))
  // Processes are listed with it.
  return initdb && findProgram('ps') && dirname(initdb)
}

/** PostgreSQL refuses to run as root. */
const isRoot = userInfo().uid === 0
const asPostgres = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []

/** A separate PostgreSQL server in a temporary folder, which tests can kill. */
export class OwnPostgres {
  readonly url: string
  readonly #programs: string
  readonly #folder: string
  readonly #port: number
  #server: Bun.Subprocess | null = null
  #isRemoved = false

  private constructor(programs: string, folder: string) {
    this.#programs = programs
    this.#folder = folder
    this.#port = freePort()
    this.url = `postgres://postgres@127.0.0.1:${this.#port}/postgres`
  }

  static async create(programs: string): Promise<OwnPostgres> {
    return new OwnPostgres(programs, await mkdtemp(join(tmpdir(), 'tossup-postgres-')))
  }

  /** A copy of `primary`, which follows it once it is started. */
  static async standbyOf(primary: OwnPostgres): Promise<OwnPostgres> {
    const standby = await OwnPostgres.create(primary.#programs)
    await standby.#giveFolder()
    const copying = [
      `--dbname=${primary.url}`,
      `--pgdata=${standby.#folder}`,
      '--write-recovery-conf',
      '--checkpoint=fast',
    ]
    await run([...asPostgres, join(primary.#programs, 'pg_basebackup'), ...copying, '--no-sync'])
    return standby
  }

  async #giveFolder(): Promise<void> {
    if (isRoot) await run(['chown', 'postgres', this.#folder])
  }

  async #initialise(): Promise<void> {
    await this.#giveFolder()
    const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync']
    await run([...asPostgres, join(this.#programs, 'initdb'), `--pgdata=${this.#folder}`, ...options])
  }

  /** Retries while a killed server is still exiting, because it holds the shared memory. */
  async start(more: readonly string[] = []): Promise<void> {
    if ((await readdir(this.#folder)).length === 0) await this.#initialise()
    const settings = [
      `port=${this.#port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.#folder}`,
      ...more,
    ]
    const program = join(this.#programs, 'postgres')
    const command = [...asPostgres, program, '-D', this.#folder, ...settings.flatMap((setting) => ['-c', setting])]
    const deadline = performance.now() + START_WITHIN_MS
    while (performance.now() < deadline && !this.#isRemoved) {
      const server = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' })
      this.#server = server
      while (server.exitCode === null && performance.now() < deadline) {
        if (await this.#answers()) return
        // Real time: another process has to start.
        await Bun.sleep(20)
      }
      // Real time: another process has to release its port.
      await Bun.sleep(50)
    }
    throw new Error('the PostgreSQL server of this run does not start')
  }

  /** Sends SIGKILL to the server and all its processes, so that none shuts down cleanly. */
  async kill(): Promise<void> {
    const server = this.#server
    await this.#signal('SIGKILL')
    await server?.exited
    this.#server = null
  }

  /** Shuts down as for a restart: every session is ended, and nothing is recovered at the next start. */
  async shutDown(): Promise<void> {
    const server = this.#server
    server?.kill('SIGINT')
    await server?.exited
    this.#server = null
  }

  /** Connections stay open, the kernel accepts new ones, and nothing answers. */
  freeze = (): Promise<void> => this.#signal('SIGSTOP')

  thaw = (): Promise<void> => this.#signal('SIGCONT')

  async #signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    if (!this.#server) return
    // Once it stands still, it starts no process that the list would lack.
    this.#server.kill('SIGSTOP')
    const children = await childrenOfStopped(this.#server.pid)
    for (const pid of children) signalIfThere(pid, signal)
    this.#server.kill(signal)
  }

  async remove(): Promise<void> {
    this.#isRemoved = true
    await this.kill()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #answers(): Promise<boolean> {
    return asAdmin(this.url, 'select 1').then(
      () => true,
      () => false,
    )
  }
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already exited.
  }
}

async function childrenOfStopped(parent: number): Promise<number[]> {
  for (;;) {
    const list = Bun.spawn(['ps', '-A', '-o', 'pid=,ppid=,state='], { stdout: 'pipe' })
    const lines = (await new Response(list.stdout).text()).trim().split('\n')
    const processes = lines.map((line) => line.trim().split(/\s+/))
    const stopped = processes.find(([pid]) => Number(pid) === parent)
    // One that has exited has left none behind.
    if (!stopped || /^[TZ]/.test(stopped[2] ?? ''))
      return processes.filter(([, of]) => Number(of) === parent).map(([pid]) => Number(pid))
  }
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const complaint = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${complaint}`)
}
