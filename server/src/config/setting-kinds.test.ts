import { describe, expect, test } from 'bun:test'
import { postgresUrl, s3Place, urlsOfHosts } from './setting-kinds.ts'

describe('the URL of a PostgreSQL', () => {
  test('has one host, or several with commas', () => {
    const single = 'postgres://u:p%40w@a/db?sslmode=disable'
    expect(urlsOfHosts(single)).toEqual([single])
    expect(
      urlsOfHosts('postgres://u:p@a:5432,b,[::1]:5434/db?target_session_attrs=read-write&sslmode=disable'),
    ).toEqual([
      'postgres://u:p@a:5432/db?sslmode=disable',
      'postgres://u:p@b/db?sslmode=disable',
      'postgres://u:p@[::1]:5434/db?sslmode=disable',
    ])
    expect(urlsOfHosts('postgresql://a,b/db')).toEqual(['postgresql://a/db', 'postgresql://b/db'])
    expect(urlsOfHosts('postgres://a,b/db?password=x,y')).toEqual([
      'postgres://a/db?password=x,y',
      'postgres://b/db?password=x,y',
    ])
  })

  test.each([
    'postgres://a:5432,b:5433/db',
    'postgres://u@a,b/db?target_session_attrs=primary',
    'postgres:///db?host=/tmp',
  ])('%s is accepted', (url) => expect(postgresUrl.parse(url)).toBe(url))

  test.each([
    'postgres:a,b',
    'mysql://a,b/db',
    'postgres://a:5432,b:x/db',
    'postgres://a,,b/db',
    'postgres://[::1,b/db',
  ])('%s is refused', (url) => expect(() => postgresUrl.parse(url)).toThrow('must be a URL'))

  test('may not ask for a standby', () => {
    const url = 'postgres://a,b/db?target_session_attrs=standby'
    expect(() => postgresUrl.parse(url)).toThrow('may have target_session_attrs=read-write only')
  })
})

describe('S3_URL', () => {
  test('names a bucket, a folder in it, and its endpoint', () => {
    expect(s3Place.parse('s3://AK:se%2Fcr%2Bet@s3.eu-central-1.amazonaws.com/bucket?region=eu-central-1')).toEqual({
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      isVirtualHosted: false,
      region: 'eu-central-1',
      bucket: 'bucket',
      folder: '',
      accessKeyId: 'AK',
      secretAccessKey: 'se/cr+et',
    })
    expect(s3Place.parse('s3+http://AK:x@127.0.0.1:9000/bucket/polls/pictures')).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      folder: 'polls/pictures/',
    })
    expect(s3Place.parse('s3://AK:x@host.example/my.bucket?style=virtual&region=auto')).toMatchObject({
      endpoint: 'https://my.bucket.host.example',
      isVirtualHosted: true,
      region: 'auto',
    })
  })

  test.each([
    'https://AK:hush@host/bucket',
    's3:AK:hush@host/bucket',
    's3://AK:hu/sh@host/bucket',
    's3://host/bucket',
    's3://AK@host/bucket',
    's3://:hush@host/bucket',
    's3://AK:hu%zzsh@host/bucket',
    's3://AK:hush@host',
    's3://AK:hush@host/',
    's3://AK:hush@host/b',
    's3://AK:hush@host/bu cket',
    's3://AK:hush@host/bucket/',
    's3://AK:hush@host/bucket//pictures',
    's3://AK:hush@host/bucket/.hidden',
    's3://AK:hush@host/bucket?region=Nowhere!',
    's3://AK:hush@host/bucket?style=dns',
    's3://AK:hush@host/bucket?acl=public',
    's3://AK:hush@host/bucket#hush',
    '',
  ])('%s is refused without repeating it', (text) => {
    const { error: problem } = s3Place.safeParse(text)
    expect(problem?.issues[0]?.message).toMatch(/^(?:must|takes) /)
    expect(JSON.stringify(problem)).not.toMatch(/hush|AK/)
  })
})
