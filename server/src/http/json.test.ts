import { describe, expect, spyOn, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../base/errors.ts'
import { parseJson, readJsonText } from './json.ts'

const request = (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream,
  contentType: string | null = 'application/json',
) => new Request('http://test/', { method: 'POST', body, headers: contentType ? { 'Content-Type': contentType } : {} })

async function refusal(promise: Promise<unknown>): Promise<[number, string, unknown]> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`not refused: ${error}`)
  return [error.status, error.code, 'fields' in error.details ? error.details.fields : undefined]
}

const readJson = async (request: Request) => parseJson(await readJsonText(request))

describe('a JSON body', () => {
  test('reads what JSON.parse reads', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 6, stringUnit: fc.constantFrom('a', '"', '\\', ':', '{', ']', 'é', '🙂', '\n', ' ') }),
        async (value) => {
          const text = JSON.stringify(value)
          expect(await readJson(request(text))).toEqual(JSON.parse(text))
          expect(await readJson(request(JSON.stringify(value, null, 2)))).toEqual(JSON.parse(text))
        },
      ),
    )
  })

  test('refuses a key given twice, at any depth and in any spelling', async () => {
    for (const body of ['{"a":1,"a":2}', '{"x":[{"a":1 , "a":1}]}', '{"a":1,"\\u0061":2}', '{"a":{},"b":1,"a":{}}']) {
      const [status, code, fields] = await refusal(readJson(request(body)))
      expect([status, code]).toEqual([422, 'VALIDATION_ERROR'])
      expect(fields).toMatchObject([{ path: 'a', code: 'duplicate_key' }])
    }
    expect(await readJson(request('{"a":{"a":1},"b":[{"a":1},{"a":1}],"c":"a\\":"}'))).toBeTruthy()
  })

  test('refuses U+0000 and lone surrogates wherever a string stands', async () => {
    for (const [body, path, code] of [
      ['{"title":"a\\u0000b"}', 'title', 'nul_character'],
      ['{"tags":["x","\\ud800"]}', 'tags.1', 'lone_surrogate'],
      ['{"\\udc00":1}', '\udc00', 'lone_surrogate'],
    ] as const) {
      const [status, , fields] = await refusal(readJson(request(body)))
      expect(status).toBe(422)
      expect(fields).toMatchObject([{ path, code }])
    }
    expect(await readJson(request('{"title":"\\ud83d\\ude42"}'))).toEqual({ title: '🙂' })
  })

  test('takes 32 levels and refuses the 33rd', async () => {
    expect(await readJson(request('['.repeat(32) + ']'.repeat(32)))).toBeArray()
    for (const depth of [33, 40, 30_000]) {
      const [status, , fields] = await refusal(readJson(request('['.repeat(depth) + ']'.repeat(depth))))
      expect(status).toBe(422)
      expect(fields).toMatchObject([{ path: '', code: 'too_deep' }])
    }
  })

  test('answers without parsing what is nested a thousand levels deep: 400 if it cannot be JSON', async () => {
    const deep = (open: number, close: number) => `{"a":"]\\"[",${'"b":[1,{"b":'.repeat(open)}1${'}]'.repeat(close)}}`
    const parse = spyOn(JSON, 'parse')
    expect((await refusal(readJson(request(deep(600, 600)))))[0]).toBe(422)
    for (const text of [deep(600, 599), '['.repeat(65_000), `${'['.repeat(1_500)}"]`, `${'{"a":'.repeat(5_000)}`])
      expect((await refusal(readJson(request(text)))).slice(0, 2)).toEqual([400, 'MALFORMED_JSON'])
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })

  test('takes 2,000 values and refuses the 2,001st', async () => {
    expect(await readJson(request(`[${'0,'.repeat(1_998)}0]`))).toHaveLength(1_999)
    const named = (count: number) => `{${Array.from({ length: count }, (_, i) => `"${i}":0`).join()}}`
    for (const body of [`[${'0,'.repeat(1_999)}0]`, `[${'[],'.repeat(20_000)}0]`, named(2_000)]) {
      const [status, , fields] = await refusal(readJson(request(body)))
      expect(status).toBe(422)
      expect(fields).toMatchObject([{ path: '', code: 'too_many_values' }])
    }
  })

  test('reads a long string with an escape at every character', async () => {
    const text = '"'.repeat(30_000)
    expect(await readJson(request(JSON.stringify([text])))).toEqual([text])
  })

  test('refuses what is not JSON in UTF-8', async () => {
    const bodies = ['', '{', "{'a':1}", '{"a":1}x', 'undefined', '\uFEFF{}', '[1,]', new Uint8Array([0x22, 0xff, 0x22])]
    for (const body of bodies) {
      expect((await refusal(readJson(request(body)))).slice(0, 2)).toEqual([400, 'MALFORMED_JSON'])
    }
  })

  test('refuses a body over 64 KiB, whether or not it says its length', async () => {
    const largest = `"${'x'.repeat(64 * 1024 - 2)}"`
    expect(await readJson(request(largest))).toHaveLength(64 * 1024 - 2)
    expect((await refusal(readJson(request(`${largest} `)))).slice(0, 2)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(32)) })
    expect((await refusal(readJson(request(endless)))).slice(0, 2)).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  test('says what is wrong with malformed JSON', async () => {
    const messageOf = async (body: string | Uint8Array<ArrayBuffer>) =>
      readJson(request(body)).then(
        () => '',
        (error: Error) => error.message,
      )
    expect(await messageOf('')).toBe('The body is empty: this request takes a JSON object.')
    expect(await messageOf(new Uint8Array([0x22, 0xff, 0x22]))).toBe('The body is not in UTF-8.')
    expect(await messageOf("{'a':1}")).toBe('The body is not valid JSON.')
  })

  test('takes more where a route allows it, and no more than that', async () => {
    const most = 100 * 1024
    const largest = `"${'x'.repeat(most - 2)}"`
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000).fill(32)) })
    expect(await readJsonText(request(largest), { mostBodyBytes: most })).toBe(largest)
    for (const body of [`${largest} `, endless])
      expect((await refusal(readJsonText(request(body), { mostBodyBytes: most }))).slice(0, 2)).toEqual([
        413,
        'PAYLOAD_TOO_LARGE',
      ])
  })

  test('must be application/json in UTF-8', async () => {
    for (const type of ['application/json', 'application/json;charset=utf-8', 'Application/JSON; charset="UTF-8"']) {
      expect(await readJson(request('{}', type))).toEqual({})
    }
    for (const type of [null, 'text/plain', 'application/jsonp', 'application/json; charset=latin1', 'text/json', '']) {
      expect((await refusal(readJson(request(new Uint8Array([123, 125]), type)))).slice(0, 2)).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ])
    }
  })

  test('answers a body full of faults with fewer bytes than it has', async () => {
    const key = 'k'.repeat(30_000)
    for (const body of [
      `{"${key}":[${'"\\ud800",'.repeat(3_000)}""]}`,
      `{"${key}":1,"${key}":2}`,
      `[${'"\\u0000",'.repeat(5_000)}""]`,
    ]) {
      const [status, , fields] = await refusal(readJson(request(body)))
      expect(status).toBe(422)
      expect(fields).toHaveLength(1)
      expect(JSON.stringify(fields).length).toBeLessThan(400)
    }
  })
})
