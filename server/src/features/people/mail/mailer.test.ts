import { expect, test } from 'bun:test'
import type { Deps } from '../../deps.ts'
import { type Mailer, sendSignInLink } from './mailer.ts'

test('looks the address up only after the answer has been sent', async () => {
  const asked: unknown[] = []
  const db = new Proxy({}, { get: (_, name) => void asked.push(name) })
  const followed: Promise<unknown>[] = []
  const mailer = { isOn: true, follow: (work: Promise<unknown>) => void followed.push(work) }
  const deps = { engine: { db } } as unknown as Deps
  sendSignInLink(deps, mailer as unknown as Mailer, { email: 'ada@example.com', lang: 'en' })
  // A turn of the event loop: the answer has been written by then.
  await new Promise((resolve) => setImmediate(resolve))
  expect(asked).toEqual([])
  await Promise.allSettled(followed)
  expect(asked).toEqual(['selectFrom'])
})
