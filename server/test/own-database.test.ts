import { afterAll, describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { engines } from './engines.ts'
import { eventually } from './eventually.ts'
import { ADMIN_URL, asAdmin, createDatabase } from './own-database.ts'

const MODULE = new URL('./own-database.ts', import.meta.url).pathname

/** A process that creates a database, prints its name and runs until it is killed. */
async function startOwner() {
  const script = `const { createDatabase } = await import(${JSON.stringify(MODULE)})
    console.log(new URL((await createDatabase()).url).pathname.slice(1))
    setInterval(() => undefined, 1_000)`
  const child = Bun.spawn([process.execPath, '--no-env-file', '--no-install', '-e', script], {
    env: { ...process.env, TEST_DATABASE_URL: ADMIN_URL },
    stdout: 'pipe',
  })
  const { value } = await child.stdout.getReader().read()
  return { child, name: new TextDecoder().decode(value).trim() }
}

async function isThere(name: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: ADMIN_URL })
  await client.connect()
  const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
  await client.end()
  return rowCount === 1
}

/** After the kill, PostgreSQL may list the process's session for a moment. */
async function untilDisconnected(name: string): Promise<void> {
  const client = new pg.Client({ connectionString: ADMIN_URL })
  await client.connect()
  const owner = name.slice(0, name.lastIndexOf('_'))
  const sessions = () => client.query('select from pg_stat_activity where application_name = $1', [owner])
  await eventually(async () => (await sessions()).rowCount === 0)
  await client.end()
}

describe.if(engines.includes('postgres'))('the databases of tests', () => {
  const left: string[] = []
  afterAll(async () => {
    for (const name of left) await asAdmin(ADMIN_URL, `drop database if exists ${name} with (force)`)
  })

  test('of a killed process are dropped by the next process, and those of a running one stay', async () => {
    const [killed, running] = await Promise.all([startOwner(), startOwner()])
    left.push(killed.name, running.name)
    killed.child.kill('SIGKILL')
    await killed.child.exited
    await untilDisconnected(killed.name)
    const next = await startOwner()
    left.push(next.name)
    expect([await isThere(killed.name), await isThere(running.name), await isThere(next.name)]).toEqual([
      false,
      true,
      true,
    ])
    for (const { child } of [running, next]) {
      child.kill('SIGKILL')
      await child.exited
    }
  })

  test('with a similar name that are not of tests stay', async () => {
    const name = `tossup_test_${randomBytes(6).toString('hex')}`
    left.push(name)
    await asAdmin(ADMIN_URL, `create database ${name}`)
    const { child, name: made } = await startOwner()
    left.push(made)
    expect(await isThere(name)).toBe(true)
    child.kill('SIGKILL')
    await child.exited
  })

  test('can be dropped while somebody is connected', async () => {
    const database = await createDatabase()
    const client = new pg.Client({ connectionString: database.url })
    client.on('error', () => undefined)
    await client.connect()
    await database.drop()
    expect(await isThere(new URL(database.url).pathname.slice(1))).toBe(false)
  })
})
