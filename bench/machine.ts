import { cpus, release, totalmem } from 'node:os'
import pg from 'pg'
import { ADMIN_URL } from '../server/test/own-database.ts'

/** The description of the machine above each section of the results. */
export async function describeMachine(command: string): Promise<string> {
  const [cpu] = cpus()
  const lines = [
    `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, commit ${await output(['git', 'rev-parse', '--short', 'HEAD'])}`,
    `${cpu?.model.trim() ?? 'unknown processor'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}`,
    `Bun ${Bun.version}, ${await postgresVersion()}, ${await generatorVersion()}`,
  ]
  return lines.map((line) => `- ${line}`).join('\n')
}

async function postgresVersion(): Promise<string> {
  const client = new pg.Client({ connectionString: ADMIN_URL, connectionTimeoutMillis: 3_000 })
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return `PostgreSQL ${rows[0]?.server_version}`
  } catch {
    return 'no PostgreSQL'
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function generatorVersion(): Promise<string> {
  if (!Bun.which('wrk')) return 'load by bench/workloads/generator.ts'
  const version = (await output(['wrk', '-v'])).match(/wrk (\S+)/)?.[1] ?? ''
  return `load by wrk ${version}`
}

async function output(command: string[]): Promise<string> {
  try {
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'ignore' })
    return (await new Response(child.stdout).text()).trim()
  } catch {
    return 'unknown'
  }
}
