import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { transaction } from '../src/db/transaction.ts'
import { createCategory, deleteCategory, renameCategory } from '../src/features/polls/change-category.ts'
import { engines } from './engines.ts'
import { startTestService, type TestBrand, type TestService } from './service.ts'

describe.each([...engines])('%s: a category with polls', (engine) => {
  let service: TestService
  let brand: TestBrand
  beforeAll(async () => {
    service = await startTestService(engine)
    brand = await service.createBrand()
  })
  afterAll(() => service.stop())

  const publicCategories = async (slug: string) =>
    (await service.get<{ categories: { slug: string; name: string }[] }>(`polls/${slug}`)).body.data.categories.map(
      ({ slug: category, name }) => [category, name],
    )

  test('is renamed and deleted on them at once, and the owner must read the poll again', async () => {
    const { deps } = service
    const category = await createCategory(deps.engine.db, deps, { slug: 'sport', name: 'Sport' })
    await createCategory(deps.engine.db, deps, { slug: 'other', name: 'Other' })
    const poll = await service.createPoll(brand, { categoryIds: [category?.id] })
    expect(await publicCategories(poll.slug)).toEqual([['sport', 'Sport']])

    const rename = (wanted: Parameters<typeof renameCategory>[2]) =>
      transaction(deps.engine, (tx) => renameCategory(tx, deps, wanted))
    expect(await rename({ slug: 'sport', newSlug: 'other', name: null })).toBe('slug-taken')
    expect(await rename({ slug: 'sport', newSlug: 'Bad!', name: null })).toBe('slug-malformed')
    expect(await rename({ slug: 'sport', newSlug: null, name: ' ' })).toBe('name-malformed')
    expect(await rename({ slug: 'sport', newSlug: 'games', name: 'Games' })).toMatchObject({ polls: 1 })
    expect(await publicCategories(poll.slug)).toEqual([['games', 'Games']])

    const own = `brands/me/polls/${poll.slug}`
    const etag = (await service.get(own, { token: brand.token })).headers.get('etag') ?? ''
    expect(await transaction(deps.engine, (tx) => deleteCategory(tx, deps, 'games'))).toMatchObject({ polls: 1 })
    expect(await publicCategories(poll.slug)).toEqual([])
    const json = { title: 'Another title?' }
    const late = await service.write('PATCH', own, { token: brand.token, json, headers: { 'If-Match': etag } })
    expect(late.status).toBe(412)
  })
})
