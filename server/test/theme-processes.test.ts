import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { SECOND } from '../src/base/clock.ts'
import { engines } from './engines.ts'
import { createDatabase } from './own-database.ts'
import { type PollData, startTestService, type TestService } from './service.ts'
import type { ThemeData } from './themes.ts'
import { wrongFor } from './wrong-for.ts'

const accentOf = async (service: TestService, slug: string) =>
  ((await service.get<PollData>(`polls/${slug}`)).body.data['brand'] as { theme: ThemeData }).theme['accent']

test('sqlite: a theme that another process wrote is seen in a poll within a second', async () => {
  const service = await startTestService('sqlite')
  const brand = await service.createBrand()
  const { slug } = await service.createPoll(brand)
  expect(await accentOf(service, slug)).toBeNull()
  const other = new Database(join(service.deps.config.dataDir, 'tossup.sqlite'))
  other.run(`update brands set theme = '{"accent":"#123456"}', theme_version = 1 where slug = ?`, [brand.slug])
  other.close()
  expect(await wrongFor(async () => (await accentOf(service, slug)) === '#123456')).toBeLessThan(SECOND)
  await service.stop()
})

test.if(engines.includes('postgres'))('postgres: two servers agree on a theme within a second', async () => {
  const database = await createDatabase()
  const settings = { DATABASE_URL: database.url }
  const [one, two] = [await startTestService('sqlite', { settings }), await startTestService('sqlite', { settings })]
  const brand = await one.createBrand()
  const { slug } = await one.createPoll(brand)
  expect(await accentOf(two, slug)).toBeNull()
  await one.write('PATCH', 'brands/me/theme', { token: brand.token, json: { accent: '#123456' } })
  expect(await accentOf(one, slug)).toBe('#123456')
  expect(await wrongFor(async () => (await accentOf(two, slug)) === '#123456')).toBeLessThan(SECOND)
  await one.stop()
  await two.stop()
  await database.drop()
})
