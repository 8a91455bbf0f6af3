import { CITUS_URL, distributeEmpty, dropOnNodes, extendOverNodes } from './citus-database.ts'
import { adminOf, asOwner, dropDatabase, newName, urlOf } from './database-owner.ts'
import { withClient } from './with-client.ts'

/** Needs permission to create databases. */
export const ADMIN_URL = CITUS_URL ?? process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'

/** A migrated database of the run (`scripts/testing/template.ts`). Runs of a few files have none. */
const TEMPLATE = process.env['TEST_TEMPLATE_DATABASE']

export interface OwnDatabase {
  readonly url: string
  /** Services that open it distribute its votes. */
  readonly isOnCitus?: boolean
  drop(): Promise<void>
}

export async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  await withClient(adminUrl, (client) => client.query(statement))
}

/**
 * A database of its own, so that concurrent test runs cannot affect each other. It is empty, or a migrated copy,
 * which is there sooner: a service that opens it cannot tell.
 */
export async function createDatabase(
  adminUrl: string = ADMIN_URL,
  { mustBeEmpty = false }: { mustBeEmpty?: boolean } = {},
): Promise<OwnDatabase> {
  const isOnCitus = adminUrl === CITUS_URL
  // The template is on one server, and Citus cannot copy a database whose tables are on other nodes.
  const isCopied = TEMPLATE && !mustBeEmpty && adminUrl === ADMIN_URL && !isOnCitus
  const name = newName()
  await asOwner(adminUrl, `create database ${name}${isCopied ? ` template ${TEMPLATE}` : ''}`)
  if (isOnCitus) await extendOverNodes(await adminOf(adminUrl), adminUrl, name)
  const url = urlOf(adminUrl, name)
  if (isOnCitus && !mustBeEmpty) await distributeEmpty(url)
  const drop = async () => {
    if (isOnCitus) await dropOnNodes(await adminOf(adminUrl), adminUrl, name)
    await dropDatabase(adminUrl, name)
  }
  return { url, isOnCitus, drop }
}
