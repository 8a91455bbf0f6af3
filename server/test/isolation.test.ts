import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { unavailable } from '../src/base/errors.ts'
import { usageOf } from '../src/base/isolation/isolated-child.ts'
import { IsolatedWork } from '../src/base/isolation/isolated-work.ts'
import { JobKilled } from '../src/base/isolation/job.ts'
import { keepFile } from '../src/features/uploads/files.ts'
import { sampleEngines } from './engines.ts'
import { eventually } from './eventually.ts'
import { paint, svg } from './pictures.ts'
import { problemsOf } from './polls.ts'
import { startTestService, type TestService } from './service.ts'
import { newTicket, putBytes } from './uploads.ts'

// Processes take their time when the machine is busy.
setDefaultTimeout(60_000)

/** Runs `work` while every job ends in this way, as one does that found an unknown flaw in a parser. */
async function whileJobsEndWith<T>(error: Error, work: () => Promise<T>): Promise<T> {
  const { run } = IsolatedWork.prototype
  IsolatedWork.prototype.run = () => Promise.reject(error)
  try {
    return await work()
  } finally {
    IsolatedWork.prototype.run = run
  }
}

/** The children of a process, by /proc. */
const childrenOf = async (pid: number): Promise<number[]> => {
  const all = await readdir('/proc')
  const stats = await Promise.all(
    all.filter((name) => /^\d+$/.test(name)).map((name) => readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')),
  )
  return stats.flatMap((stat) => {
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state !== 'Z' && Number(parent) === pid ? [Number.parseInt(stat, 10)] : []
  })
}

test.if(process.platform === 'linux')('no process survives a server that is killed with -9 during a job', async () => {
  const path = (name: string) => JSON.stringify(new URL(name, import.meta.url).pathname)
  const program = `
    import { Isolation } from ${path('../src/base/isolation/isolated-work.ts')}
    const entry = new URL(${path('./isolation/odd-work.ts')}, 'file:///')
    const work = new Isolation(console).open({ name: 'odd work', entry, cpuMs: 60_000, memoryBytes: 1e9 })
    await work.run({ do: 'answer', value: 1 }, { withinMs: 60_000 })
    console.log('warm')
    await work.run({ do: 'loop' }, { withinMs: 60_000 })`
  const server = Bun.spawn([process.execPath, '-e', program], { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' })
  await server.stdout.getReader().read()
  const [child = 0, ...others] = await childrenOf(server.pid)
  expect(child).toBeGreaterThan(0)
  expect(others).toEqual([])
  const isBusy = async () => ((await usageOf(child))?.cpuMs ?? 0) > 500
  await eventually(isBusy)
  server.kill('SIGKILL')
  await server.exited
  await eventually(async () => ((await usageOf(child))?.memoryBytes ?? 0) === 0)
})

describe.each([...sampleEngines])('%s: an input whose reading was given up', (engine) => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService(engine, { jobs: 'by hand' })
  })
  afterAll(() => service.stop())

  test.each(['processor time', 'memory', 'crash'] as const)(
    'as a stylesheet is refused with 422 (%s)',
    async (reason) => {
      const { token } = await service.createBrand()
      const patch = (json: unknown) => service.write('PATCH', 'brands/me/theme', { token, json })
      const refused = await whileJobsEndWith(new JobKilled(reason), () => patch({ customCss: '.title { color: red }' }))
      expect([refused.status, problemsOf(refused)]).toEqual([422, ['customCss css_cost']])
      expect((await patch({ customCss: '.title { color: red }' })).status).toBe(200)
    },
  )

  test('as a stylesheet from before these rules is served as an empty one', async () => {
    const { token, slug, brandKey } = await service.createBrand()
    await service.write('PATCH', 'brands/me/theme', { token, json: { customCss: '.title { color: red }' } })
    await service.db.updateTable('theme_styles').set({ css: '' }).where('brand_key', '=', brandKey).execute()
    const read = () => service.get(`/css/${slug}/v1-2.css`)
    const served = await whileJobsEndWith(new JobKilled('memory'), read)
    expect([served.status, served.text]).toEqual([200, '/* rules 2 */\n'])
    expect(served.headers.get('cache-control')).toBe('no-store')
    expect((await read()).text).toContain('.tossup .title{color:red}')
  })

  test('as a stylesheet leaves themes without one alone', async () => {
    const { token } = await service.createBrand()
    const patch = () => service.write('PATCH', 'brands/me/theme', { token, json: { customCss: null, radius: 'LG' } })
    expect((await whileJobsEndWith(new JobKilled('memory'), patch)).status).toBe(200)
  })

  test.each(['image/png', 'image/svg+xml'] as const)(
    'as %s is refused with 422, and its ticket is used up',
    async (type) => {
      const bytes = type === 'image/png' ? paint({ width: 9, height: 9 }) : Buffer.from(svg('<g/>'))
      const ticket = await newTicket(service, await service.createBrand(), {
        slot: 'logo_light',
        contentType: type,
        byteSize: bytes.length,
      })
      const put = () => putBytes(service, ticket, bytes)
      const refused = await whileJobsEndWith(new JobKilled('processor time'), put)
      expect([refused.status, problemsOf(refused)]).toEqual([422, ['body too_costly']])
      expect((await put()).status).toBe(404)
    },
  )

  test('of a stored picture leaves it without variants, and is not tried again', async () => {
    const bytes = paint({ width: 9, height: 9 })
    const brand = await service.createBrand()
    const file = { slot: 'optionA', contentType: 'image/png', width: 9, height: 9, bytes } as const
    const key = await keepFile(service.db, service.deps, { brandKey: brand.brandKey, ...file })
    const columns = ['variants_due_at', 'variant_widths', 'variants_tried'] as const
    const stored = service.db.selectFrom('files').select(columns).where('key', '=', key)
    expect((await stored.executeTakeFirstOrThrow()).variants_due_at).toBeNumber()
    await whileJobsEndWith(new JobKilled('processor time'), () => service.runDue())
    const given = { variants_due_at: null, variant_widths: '', variants_tried: 1 }
    expect(await stored.executeTakeFirstOrThrow()).toEqual(given)
  })

  test('for want of time is answered 503 with Retry-After, and the ticket stays valid', async () => {
    const bytes = paint({ width: 9, height: 9 })
    const ticket = await newTicket(service, await service.createBrand(), {
      slot: 'logo_light',
      contentType: 'image/png',
      byteSize: bytes.length,
    })
    const put = () => putBytes(service, ticket, bytes)
    const later = await whileJobsEndWith(unavailable(2), put)
    expect([later.status, later.headers.get('retry-after')]).toEqual([503, '2'])
    expect((await put()).status).toBe(200)
  })
})
