import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Route, takesNothing } from '../src/http/route.ts'
import { Attacks, INVALID } from './attacks.ts'
import { fieldsOf, withValue, wrongValues } from './body-fields.ts'
import { sampleEngines } from './engines.ts'
import { type Sample, Scene } from './scene.ts'
import type { Ask } from './service.ts'

const KIB = 1024
const CHUNK = 10_000
const HUGE = `"${'x'.repeat(3 * KIB * KIB)}"`

/** Made as it is sent: the server refuses most bodies before their end. */
const chunked = (text: string): ReadableStream<Uint8Array> => {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(text.slice(at, at + CHUNK)))
      at += CHUNK
      if (at >= text.length) controller.close()
    },
  })
}

const withRaw = (
  { path, ask }: Sample,
  raw: NonNullable<Ask['raw']>,
  type: string | null = 'application/json',
): Sample => {
  const { json: _, ...rest } = ask
  return {
    path,
    ask: { ...rest, raw, headers: { ...ask.headers, ...(type === null ? {} : { 'Content-Type': type }) } },
  }
}

describe.each([...sampleEngines])('%s: a bad body', (engine) => {
  let attacks: Attacks
  let scene: Scene
  let routes: readonly Route[]
  beforeAll(async () => {
    attacks = await Attacks.open(engine)
    scene = attacks.scene
    routes = scene.routes
  })
  afterAll(() => scene.service.stop())

  const withBody = () => routes.filter(({ spec }) => spec.body)

  // spec: 7-9
  test('a field of the wrong type is refused by name, in every body', async () => {
    const list = await attacks.on(withBody(), ({ path, ask }, { spec }) =>
      (spec.body ? fieldsOf(spec.body) : []).flatMap((field) =>
        wrongValues(field).map((value) => {
          const where = field.path.join('.')
          const json = withValue(ask.json, field.path, value)
          return [
            `${where} = ${JSON.stringify(value)}`,
            { path, ask: { ...ask, json } },
            `${INVALID} ${where}`,
          ] as const
        }),
      ),
    )
    expect(list.length).toBeGreaterThan(150)
    await attacks.expectRefused(list)
  })

  const LINES = new Set('title name displayName label imageAlt tags locationCity locationState'.split(' '))

  test('a control character or a bidirectional override is refused in every field of one line', async () => {
    const list = await attacks.on(withBody(), ({ path, ask }, { spec }) =>
      (spec.body ? fieldsOf(spec.body) : [])
        .filter((field) => LINES.has(field.path.at(-1) ?? ''))
        .flatMap((field) =>
          ['a\u001b[2Jb', 'a\nb', 'a\u2028b', 'a\u202eb'].map((text) => {
            const isList = field.types.has('array')
            const where = [...field.path, ...(isList ? ['0'] : [])].join('.')
            const json = withValue(ask.json, field.path, isList ? [text] : text)
            return [
              `${where} = ${JSON.stringify(text)}`,
              { path, ask: { ...ask, json } },
              `${INVALID} ${where}`,
            ] as const
          }),
        ),
    )
    expect(new Set(list.map(({ name }) => name.split(' ')[0])).size).toBeGreaterThan(8)
    await attacks.expectRefused(list)
  })

  test('an unknown field is refused by name, in every object of every body', async () => {
    const list = await attacks.on(withBody(), ({ path, ask }, { spec }) => {
      const objects = [
        [],
        ...(spec.body ? fieldsOf(spec.body) : [])
          // The browser's own object, which grows with browsers: what verifies it ignores the rest.
          .filter(({ types, path: [name] }) => types.has('object') && name !== 'credential')
          .map((field) => field.path),
      ]
      return objects.flatMap((at) =>
        ['extra', 'constructor', 'toString', 'Title', 'brandId', 'version'].map((name) => {
          const inner = at.reduce((value: unknown, step) => (value as Record<string, unknown>)?.[step], ask.json) ?? {}
          const json = withValue(ask.json, at, { ...inner, [name]: null })
          return [
            `unknown ${[...at, name].join('.')}`,
            { path, ask: { ...ask, json } },
            `${INVALID} ${[...at, name].join('.')}`,
          ] as const
        }),
      )
    })
    const proto = await attacks.on(withBody(), (sample) => {
      const text = `{"__proto__":{"isAdmin":true},${JSON.stringify(sample.ask.json).slice(1)}`
      return [['__proto__', withRaw(sample, text), `${INVALID} __proto__`]]
    })
    await attacks.expectRefused([...list, ...proto])
  })

  test('a body that is no object, no JSON, not UTF-8, has duplicate keys or another content type is refused', async () => {
    const list = await attacks.on(withBody(), (sample, { spec }) => {
      const text = JSON.stringify(sample.ask.json)
      const [first = ''] = Object.keys(sample.ask.json as object)
      const twice = `{${JSON.stringify(first)}:1,${text.slice(1)}`
      const spelled = `{"\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}${first.slice(1)}":1,${text.slice(1)}`
      return [
        ...['[]', '"text"', '1', 'null', 'true', '[{}]'].map((raw) => [raw, withRaw(sample, raw), INVALID] as const),
        ...['{', `${text}x`, "{'a':1}", '{"a":NaN}', `\uFEFF${text}`, 'a=1', `${text}${text}`].map(
          (raw) => [raw, withRaw(sample, raw), '400 MALFORMED_JSON'] as const,
        ),
        ...('isBodyOptional' in spec ? [] : [['no body', withRaw(sample, ''), '400 MALFORMED_JSON'] as const]),
        ['bytes that are no UTF-8', withRaw(sample, new Uint8Array([0x22, 0xff, 0x22])), '400 MALFORMED_JSON'],
        ['UTF-16', withRaw(sample, Buffer.from(`\uFEFF${text}`, 'utf16le')), '400 MALFORMED_JSON'],
        ['a key twice', withRaw(sample, twice), `${INVALID} ${first}`],
        ['a key twice, spelled apart', withRaw(sample, spelled), `${INVALID} ${first}`],
        ['40 deep', withRaw(sample, `{"x":${'['.repeat(40)}${']'.repeat(40)},${text.slice(1)}`), INVALID],
        ['60,000 deep', withRaw(sample, '['.repeat(30_000) + ']'.repeat(30_000)), INVALID],
        ...[
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=latin1',
          'application/ld+json',
        ].map((type) => [type, withRaw(sample, text, type), '415 UNSUPPORTED_MEDIA_TYPE'] as const),
        ['no content type', withRaw(sample, new TextEncoder().encode(text), null), '415 UNSUPPORTED_MEDIA_TYPE'],
      ]
    })
    await attacks.expectRefused(list)
  })

  test('a body with a Content-Encoding is refused, also where no body is needed and for uploads', async () => {
    const writes = routes.filter(({ spec }) => spec.method !== 'GET')
    const list = await attacks.on(writes, ({ path, ask }) =>
      ['gzip', 'br', 'GZIP', 'gzip, identity', 'identity, gzip', 'x', ''].map((coding) => {
        const headers = { ...ask.headers, 'Content-Encoding': coding }
        return [coding, { path, ask: { ...ask, headers } }, '415 UNSUPPORTED_MEDIA_TYPE'] as const
      }),
    )
    expect(new Set(list.map(({ route }) => route.spec.name)).size).toBe(writes.length)
    await attacks.expectRefused(list)
  })

  test('where no body is needed, every body except an empty one and {} is refused', async () => {
    const bodiless = routes.filter(({ spec }) => takesNothing(spec))
    expect(bodiless.length).toBeGreaterThan(5)
    const list = await attacks.on(bodiless, (sample) => [
      ...['{', 'x', 'a=1', '{}x', '\uFEFF{}', ' '].map(
        (raw) => [raw, withRaw(sample, raw), '400 MALFORMED_JSON'] as const,
      ),
      ['bytes that are no UTF-8', withRaw(sample, new Uint8Array([0x22, 0xff, 0x22])), '400 MALFORMED_JSON'],
      ...['[]', 'null', '1', '"text"', '[{}]'].map((raw) => [raw, withRaw(sample, raw), INVALID] as const),
      ...['{"force":true}', '{"__proto__":{}}'].map(
        (raw) => [raw, withRaw(sample, raw), `${INVALID} ${raw.split('"')[1]}`] as const,
      ),
      ['chunked', withRaw(sample, chunked('{"force":true}')), `${INVALID} force`],
      ['too large', withRaw(sample, `{}${' '.repeat(65 * KIB)}`), '413 PAYLOAD_TOO_LARGE'],
      ['too large, chunked', withRaw(sample, chunked(`{}${' '.repeat(65 * KIB)}`)), '413 PAYLOAD_TOO_LARGE'],
    ])
    await attacks.expectRefused(list)
  })

  test('U+0000 and lone surrogates are refused in every string', async () => {
    const list = await attacks.on(withBody(), (sample, { spec }) =>
      (spec.body ? fieldsOf(spec.body) : [])
        .filter(({ types }) => types.has('string'))
        .flatMap(({ path }) =>
          ['\\u0000', 'a\\u0000b', '\\ud800', 'a\\udc00b', '\\ude42\\ud83d'].map((bad) => {
            const raw = JSON.stringify(withValue(sample.ask.json, path, 'PLACE')).replace('PLACE', bad)
            return [`${path.join('.')} = ${bad}`, withRaw(sample, raw), `${INVALID} ${path.join('.')}`] as const
          }),
        ),
    )
    await attacks.expectRefused(list)
  })

  const mostOf = ({ spec }: Route): number => spec.mostBodyBytes ?? 64 * KIB

  test('a body one KiB over the limit is refused, with and without Content-Length', async () => {
    const list = await attacks.on(withBody(), (sample, route) => {
      const tooMany = mostOf(route) + KIB
      const large = JSON.stringify({ title: 'x'.repeat(tooMany) })
      const padded = `${JSON.stringify(sample.ask.json)}${' '.repeat(tooMany)}`
      return [
        ['content-length', withRaw(sample, large), '413 PAYLOAD_TOO_LARGE'],
        ['chunked', withRaw(sample, chunked(large)), '413 PAYLOAD_TOO_LARGE'],
        ['spaces', withRaw(sample, padded), '413 PAYLOAD_TOO_LARGE'],
        ['chunked spaces', withRaw(sample, chunked(padded)), '413 PAYLOAD_TOO_LARGE'],
        ['3 MiB', withRaw(sample, HUGE), '413 PAYLOAD_TOO_LARGE'],
        ['3 MiB, chunked', withRaw(sample, chunked(HUGE)), '413 PAYLOAD_TOO_LARGE'],
      ]
    })
    await attacks.expectRefused(list)
  })

  test('64 KiB are accepted, and 160 KiB for a theme, with and without Content-Length', async () => {
    expect(Object.fromEntries(withBody().map((route) => [mostOf(route), route.spec.name]))).toEqual({
      [64 * KIB]: expect.any(String),
      [160 * KIB]: 'updateTheme',
    })
    for (const make of [(text: string) => text, chunked]) {
      for (const route of withBody()) {
        const sample = await scene.valid(route)
        const raw = make(JSON.stringify(sample.ask.json).padEnd(mostOf(route), ' '))
        expect([route.spec.name, (await scene.send(route, withRaw(sample, raw))).status]).toEqual([
          route.spec.name,
          Number(Object.keys(route.spec.answers)[0]),
        ])
      }
    }
  })
})

/** Separate from the tests that expect unchanged rows, because these requests succeed. */
describe.each([...sampleEngines])('%s: a good body', (engine) => {
  let scene: Scene
  beforeAll(async () => {
    scene = await Scene.open(engine)
  })
  afterAll(() => scene.service.stop())

  test('may have Content-Encoding: identity', async () => {
    const writes = scene.routes.filter(({ spec }) => spec.method !== 'GET')
    for (const coding of ['identity', 'Identity']) {
      for (const route of writes) {
        const { path, ask } = await scene.valid(route)
        const headers = { ...ask.headers, 'Content-Encoding': coding }
        const reply = await scene.send(route, { path, ask: { ...ask, headers } })
        const [expected] = Object.keys(route.spec.answers)
        expect(`${route.spec.name} ${reply.status}`).toBe(`${route.spec.name} ${expected}`)
      }
    }
  })

  test('is empty or {} where none is needed, with any content type or without one', async () => {
    const bodiless = scene.routes.filter(({ spec }) => takesNothing(spec))
    for (const route of bodiless) {
      for (const [raw, type] of [
        ['', null],
        ['{}', null],
        [' {\n} ', 'text/plain'],
        [chunked('{}'), 'application/json'],
      ] as const) {
        const reply = await scene.send(route, withRaw(await scene.valid(route), raw, type))
        const [expected] = Object.keys(route.spec.answers)
        expect(`${route.spec.name} ${reply.status}`).toBe(`${route.spec.name} ${expected}`)
      }
    }
  })
})
