import { describe, expect, test } from 'bun:test'
import { postgresUrl, urlsOfHosts } from './postgres-url.ts'

const refuse = (problem: string): never => {
  throw new Error(problem)
}

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
  ])('%s is accepted', (url) => expect(postgresUrl.read(url, refuse)).toBe(url))

  test.each([
    'postgres:a,b',
    'mysql://a,b/db',
    'postgres://a:5432,b:x/db',
    'postgres://a,,b/db',
    'postgres://[::1,b/db',
  ])('%s is refused', (url) => expect(() => postgresUrl.read(url, refuse)).toThrow('must be a URL'))

  test('may not ask for a standby', () => {
    const url = 'postgres://a,b/db?target_session_attrs=standby'
    expect(() => postgresUrl.read(url, refuse)).toThrow('may have target_session_attrs=read-write only')
  })
})
