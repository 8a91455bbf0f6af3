import { describe, expect, test } from 'bun:test'
import { readS3Url } from './s3-url.ts'

describe('S3_URL', () => {
  test('names a bucket, a folder in it, and its endpoint', () => {
    expect(readS3Url('s3://AK:se%2Fcr%2Bet@s3.eu-central-1.amazonaws.com/bucket?region=eu-central-1')).toEqual({
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      isVirtualHosted: false,
      region: 'eu-central-1',
      bucket: 'bucket',
      folder: '',
      accessKeyId: 'AK',
      secretAccessKey: 'se/cr+et',
    })
    expect(readS3Url('s3+http://AK:x@127.0.0.1:9000/bucket/polls/pictures')).toMatchObject({
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
      folder: 'polls/pictures/',
    })
    expect(readS3Url('s3://AK:x@host.example/my.bucket?style=virtual&region=auto')).toMatchObject({
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
    const problem = readS3Url(text)
    expect(problem).toBeString()
    expect(problem).not.toMatch(/hush|AK/)
  })
})
