import { afterAll, beforeAll, expect, test } from 'bun:test'
import { S3StandIn } from './s3-stand-in.ts'

let s3: S3StandIn
beforeAll(() => {
  s3 = new S3StandIn()
})
afterAll(() => s3.stop())

const client = (more: Bun.S3Options = {}) => new Bun.S3Client({ endpoint: s3.endpoint, ...s3.credentials, ...more })
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error) => error.code,
  )

test('the stand-in accepts requests signed in the header, and refuses tampered ones', async () => {
  await client().write('a/b c.png', 'bytes')
  expect(await client().file('a/b c.png').text()).toBe('bytes')
  expect(await codeOf(client({ secretAccessKey: 'wrong' }).write('x', 'y'))).toBe('SignatureDoesNotMatch')
  expect(await codeOf(client({ accessKeyId: 'OTHER' }).write('x', 'y'))).toBe('InvalidAccessKeyId')
  expect(await codeOf(client({ region: 'elsewhere' }).write('x', 'y'))).toBe('AuthorizationHeaderMalformed')
  expect((await fetch(`${s3.endpoint}/pictures/x`, { method: 'PUT', body: 'y' })).status).toBe(403)
  expect(s3.objects.has('x')).toBe(false)
  expect(await client().exists('x')).toBe(false)
})

test('the stand-in accepts requests signed in the query, and refuses tampered ones', async () => {
  const url = client().presign('q.png', { method: 'PUT', expiresIn: 60 })
  const put = async (address: string, method = 'PUT') => {
    const response = await fetch(address, { method, ...(method === 'PUT' ? { body: 'bytes' } : {}) })
    await response.text()
    return response.status
  }
  const last = url.match(/Signature=([0-9a-f])/)?.[1] ?? ''
  expect(await put(url.replace('q.png', 'r.png'))).toBe(403)
  expect(await put(url, 'DELETE')).toBe(403)
  expect(await put(url.replace('X-Amz-Expires=60', 'X-Amz-Expires=61'))).toBe(403)
  expect(await put(url.replace(`Signature=${last}`, `Signature=${last === '0' ? '1' : '0'}`))).toBe(403)
  expect(await put(`${url}&x=1`)).toBe(403)
  expect(await put(url.replace('127.0.0.1', 'localhost'))).toBe(403)
  const brief = client().presign('q.png', { method: 'PUT', expiresIn: 1 })
  // Real time: a signature expires by the system clock.
  await Bun.sleep(2_100)
  expect(await put(brief)).toBe(403)
  expect([...s3.objects.keys()].filter((key) => key.length < 6)).toEqual([])
  expect(await put(url)).toBe(200)
  expect(await put(client().presign('q.png', { method: 'GET' }), 'GET')).toBe(200)
})
