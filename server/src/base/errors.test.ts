import { expect, test } from 'bun:test'
import { AppError, errorEntries, invalidPaging, pollClosed } from './errors.ts'

test.each([...errorEntries])('%s: its example is one of its details, and its words are sentences', (_code, entry) => {
  expect(entry.details.parse(entry.example)).toEqual(entry.example)
  const message = typeof entry.message === 'string' ? entry.message : entry.message(entry.example)
  for (const words of [entry.when, entry.remedy]) expect(words).toMatch(/^[A-Z`].*\.$/)
  expect(message).toMatch(/^(title: )?[A-Z]/)
  expect(entry.status).toBeWithin(400, 600)
})

test('an error has the status and message of the catalogue', () => {
  expect(new AppError('SCOPE_REQUIRED', { details: { scope: 'manage' } })).toMatchObject({
    code: 'SCOPE_REQUIRED',
    status: 403,
    message: 'This request requires the scope manage.',
    details: { scope: 'manage' },
  })
  expect(new AppError('IDEMPOTENCY_KEY_INVALID', { details: { maxLength: 128 } }).message).toContain(
    '8 to 128 characters',
  )
  expect(invalidPaging({ path: 'limit', code: 'invalid_limit', message: 'No.' }).status).toBe(400)
})

test('an error with details that are not in the catalogue does not compile', () => {
  // @ts-expect-error: no such status of a poll
  expect(pollClosed({ status: 'gone' }).code).toBe('POLST_CLOSED')
  // @ts-expect-error: no such field
  expect(pollClosed({ status: 'closed', until: 'tomorrow' }).code).toBe('POLST_CLOSED')
})
