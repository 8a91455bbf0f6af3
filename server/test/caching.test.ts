import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sampleEngines } from './engines.ts'
import { guardKind, Scene } from './scene.ts'

describe.each([...sampleEngines])('%s: public reads', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  test('answer 304 to every form of a current ETag, and 200 to any other', async () => {
    // The file of a log is made while it is sent, and has no ETag.
    const reads = scene.routes.filter(
      (route) =>
        guardKind(route) === 'none' && /^(public|own)$/.test(route.spec.caching) && route.spec.name !== 'getLogBundle',
    )
    expect(reads.length).toBeGreaterThan(4)
    for (const route of reads) {
      const { path, ask } = await scene.valid(route)
      const get = (tags: string) => scene.service.get(path, { headers: { ...ask.headers, 'If-None-Match': tags } })
      const first = await scene.service.get(path, ask)
      const etag = first.headers.get('etag') ?? ''
      expect([route.spec.name, etag]).toEqual([route.spec.name, expect.stringMatching(/^"([^"]{20,}|v\d+)"$/)])
      for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, `${etag},"b"`, `"a" ,W/${etag} , "b"`, '*', ` ${etag} `]) {
        const { status, text, headers } = await get(tags)
        expect([route.spec.name, tags, status, text]).toEqual([route.spec.name, tags, 304, ''])
        expect(headers.get('etag')).toBe(etag)
        expect(headers.get('cache-control')).toBe(first.headers.get('cache-control'))
        expect(headers.get('content-length')).toBeNull()
        expect(headers.get('access-control-allow-origin')).toBe('*')
      }
      for (const tags of [
        '',
        '"a"',
        etag.slice(1, -1),
        `${etag}x`,
        `x${etag}`,
        etag.toLowerCase().replace('"', '"x'),
        '"*"',
      ]) {
        const { status, text } = await get(tags)
        expect([route.spec.name, tags, status, text]).toEqual([route.spec.name, tags, 200, first.text])
      }
      const head = await scene.service.request('HEAD', path, { headers: { ...ask.headers, 'If-None-Match': etag } })
      expect(head.status).toBe(304)
    }
  })

  test('have another ETag when their content changes', async () => {
    const { service, brand } = scene
    const poll = await service.createPoll(brand)
    const tags = async () => {
      const paths = [`polls/${poll.slug}`, `polls/${poll.slug}/tallies`, `brands/${brand.slug}/polls`]
      return Promise.all(paths.map(async (path) => (await service.get(path)).headers.get('etag')))
    }
    const before = await tags()
    await service.vote(poll.slug, 'A')
    const after = await tags()
    for (const [i, tag] of after.entries()) expect(tag).not.toBe(before[i] ?? null)
  })

  test('have a cache lifetime that ends at the next opening or closing of a poll that they show', async () => {
    const { service, brand } = scene
    // On a busy machine a tenth of a second passes between a poll and its reads.
    service.clock.freeze()
    const at = (ms: number) => new Date(service.clock.now() + ms).toISOString()
    for (const [inMs, seconds] of [
      [9_000, 2],
      [2_900, 2],
      [1_900, 1],
      [900, 0],
    ] as const) {
      for (const field of ['closesAt', 'opensAt']) {
        const poll = await service.createPoll(brand, { [field]: at(inMs) })
        const paths = [
          `polls/${poll.slug}`,
          `polls/${poll.slug}/tallies`,
          ...(field === 'closesAt' ? [`brands/${brand.slug}/polls`] : []),
        ]
        for (const path of paths) {
          const { headers } = await service.get(path)
          expect([field, inMs, headers.get('cache-control')]).toEqual([
            field,
            inMs,
            `public, max-age=0, s-maxage=${seconds}`,
          ])
        }
        await service.write('DELETE', `brands/me/polls/${poll.slug}`, { token: brand.token })
      }
    }
    service.clock.thaw()
  })
})
