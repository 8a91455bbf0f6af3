import { asAdmin } from '../server/test/own-database.ts'

export const hasPostgres = (adminUrl: string): Promise<boolean> =>
  asAdmin(adminUrl, 'select 1').then(
    () => true,
    () => false,
  )
