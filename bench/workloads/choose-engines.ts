import { ADMIN_URL, asAdmin } from '../../server/test/own-database.ts'
import type { EngineName } from '../arguments.ts'

/** The engine that was asked for, or both; without PostgreSQL if it does not answer. */
export async function chooseEngines(engine: EngineName | null): Promise<EngineName[]> {
  const wanted: readonly EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  if (!wanted.includes('postgres') || (await hasPostgres())) return [...wanted]
  process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
  return wanted.filter((name) => name !== 'postgres')
}

const hasPostgres = (): Promise<boolean> =>
  asAdmin(ADMIN_URL, 'select 1').then(
    () => true,
    () => false,
  )
