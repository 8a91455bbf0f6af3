import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { startTestService, type TestService } from '../../../../test/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService('sqlite')
})
afterAll(() => service.stop())

test('the script is built once for many requests, and again after a failed build', async () => {
  const build = spyOn(Bun, 'build').mockRejectedValueOnce(new Error('EMFILE: too many open files'))
  const ask = async () => (await service.get('/embed.js')).status
  try {
    expect(await ask()).toBe(500)
    expect(await Promise.all([ask(), ask(), ask(), ask()])).toEqual([200, 200, 200, 200])
    expect(await ask()).toBe(200)
    // Ten bundles each time: the script and its nine parts.
    expect(build).toHaveBeenCalledTimes(20)
  } finally {
    build.mockRestore()
  }
})
