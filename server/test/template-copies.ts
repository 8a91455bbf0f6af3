// Copies of a migrated database, which the test processes of a run hand on to each other: to empty one is quicker than to create one.
import { randomInt } from 'node:crypto'
import pg from 'pg'
import { asOwner, dropDatabase, IN_USE, NOT_THERE, newName, urlOf } from './database-owner.ts'
import { emptied } from './emptied-database.ts'

export interface Template {
  readonly name: string
  /** `fingerprintOf` */
  readonly fingerprint: string
}

/** A migrated database of the run (`template-database.ts`). Runs of a few files have none. */
export const TEMPLATE: Template | null = readTemplate()

/** Begins the names of copies that wait for the next test. They belong to the process of the template, and are dropped as its own if it is killed. */
const freePrefix = (template: string): string => `${template}_free_`

export interface Copy {
  readonly url: string
  drop(): Promise<void>
}

/** One that another test has used and emptied, or a new one. */
export async function copyTemplate(adminUrl: string, template: Template): Promise<Copy> {
  const own = (await takeFree(adminUrl, template.name)) ?? (await newCopy(adminUrl, template.name))
  const url = urlOf(adminUrl, own)
  const free = freePrefix(template.name) + randomInt(2 ** 47)
  const giveBack = async () => {
    if (!(await emptied(url, template.fingerprint)) || !(await rename(adminUrl, own, free)))
      await dropDatabase(adminUrl, own)
  }
  let givenBack: Promise<void> | null = null
  return { url, drop: () => (givenBack ??= giveBack()) }
}

export async function dropFree(adminUrl: string, template: string): Promise<void> {
  for (const free of await freeOnes(adminUrl, template)) await dropDatabase(adminUrl, free)
}

function readTemplate(): Template | null {
  const name = process.env['TEST_TEMPLATE_DATABASE']
  return name ? { name, fingerprint: process.env['TEST_TEMPLATE_FINGERPRINT'] ?? '' } : null
}

async function newCopy(adminUrl: string, template: string): Promise<string> {
  const name = newName()
  await asOwner(adminUrl, `create database ${name} template ${template}`)
  return name
}

/** Null if there is none. */
async function takeFree(adminUrl: string, template: string): Promise<string | null> {
  const name = newName()
  for (const free of await freeOnes(adminUrl, template)) if (await rename(adminUrl, free, name)) return name
  return null
}

/** In any order, so that processes rarely want the same one. */
async function freeOnes(adminUrl: string, template: string): Promise<string[]> {
  const text = 'select datname as name from pg_database where starts_with(datname, $1) order by random()'
  const { rows } = await asOwner<{ name: string }>(adminUrl, text, [freePrefix(template)])
  return rows.map(({ name }) => name)
}

/** False if another process has taken it, or somebody is connected. */
async function rename(adminUrl: string, from: string, to: string): Promise<boolean> {
  try {
    await asOwner(adminUrl, `alter database ${from} rename to ${to}`)
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && [IN_USE, NOT_THERE].includes(error.code ?? '')) return false
    throw error
  }
}
