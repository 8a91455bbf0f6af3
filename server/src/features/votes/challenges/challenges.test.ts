import { describe, expect, test } from 'bun:test'
import { createChallenge, solveChallenge as solveTheirs, verifySolution } from 'altcha-lib/v1'
import fc from 'fast-check'
import { solveChallenge } from '../../../../../sdk/src/challenge/solve-challenge.ts'
import { randomKey } from '../../../base/secrets.ts'
import { type Challenge, Challenges } from './challenges.ts'

const MOST = 2_000
const keys = { challenge: randomKey(), device: randomKey() }
const subject = { pollKey: 7, device: randomKey().slice(0, 16) }
const hmacKey = Buffer.from(keys.challenge).toString('hex')
let now = Date.now()
const challenges = new Challenges({ clock: { now: () => now }, keys })

const solved = async (challenge: Challenge): Promise<string> => {
  const solution = await solveChallenge(challenge)
  if (solution === null) throw new Error('no solution')
  return solution
}

const solutionOf = ({ maxnumber: _, ...challenge }: Challenge, number: number): string =>
  btoa(JSON.stringify({ ...challenge, number }))

const changed = (solution: string, change: object): string =>
  btoa(JSON.stringify({ ...JSON.parse(atob(solution)), ...change }))

describe('beside altcha-lib', () => {
  test('it solves and verifies ours, and ours takes its solution', async () => {
    const issued = challenges.issue(subject, MOST)
    expect(Object.keys(issued).sort()).toEqual(['algorithm', 'challenge', 'maxnumber', 'salt', 'signature'])
    const theirs = await solveTheirs(issued.challenge, issued.salt, 'SHA-256', issued.maxnumber).promise
    const payload = solutionOf(issued, theirs?.number ?? -1)
    expect(JSON.parse(atob(await solved(issued)))).toEqual(JSON.parse(atob(payload)))
    expect(await verifySolution(payload, hmacKey)).toBe(true)
    expect(await verifySolution(payload, 'another key')).toBe(false)
    expect(challenges.isSolved(payload, subject)).toBe(true)
  })

  test('our solver solves its challenges', async () => {
    const theirs = (await createChallenge({ hmacKey, maxnumber: MOST })) as Challenge
    expect(await verifySolution(await solved(theirs), hmacKey)).toBe(true)
  })

  test('its challenge with our key is refused: it is bound to no vote', async () => {
    const expires = new Date(now + 60_000)
    const theirs = (await createChallenge({ hmacKey, maxnumber: MOST, expires })) as Challenge
    expect(challenges.isSolved(await solved(theirs), subject)).toBe(false)
  })
})

describe('a solution', () => {
  test('is taken for 120 seconds', async () => {
    const solution = await solved(challenges.issue(subject, MOST))
    now += 119_000
    expect(challenges.isSolved(solution, subject)).toBe(true)
    now += 1_001
    expect(challenges.isSolved(solution, subject)).toBe(false)
  })

  test('counts for its own device and poll alone, and for keys of this service', async () => {
    const solution = await solved(challenges.issue(subject, MOST))
    expect(challenges.isSolved(solution, { ...subject, pollKey: 8 })).toBe(false)
    expect(challenges.isSolved(solution, { ...subject, device: randomKey().slice(0, 16) })).toBe(false)
    const others = new Challenges({ clock: { now: () => now }, keys: { ...keys, challenge: randomKey() } })
    expect(others.isSolved(solution, subject)).toBe(false)
    expect(new Challenges({ clock: { now: () => now }, keys }).isSolved(solution, subject)).toBe(true)
  })

  test.each([
    ['another number', { number: 123_456_789 }],
    ['a number as text', { number: '1' }],
    ['a fraction', { number: 1.5 }],
    ['another algorithm', { algorithm: 'SHA-1' }],
    ['another signature', { signature: '00' }],
    ['no salt', { salt: undefined }],
    ['a salt with a later end', { salt: '5f2c1d9e?expires=9999999999&for=Zk3_pQ9vZ2LmXk3_&' }],
    ['a list for a text', { challenge: ['a'] }],
  ])('with %s is refused', async (_name, change) => {
    const solution = await solved(challenges.issue(subject, MOST))
    expect(challenges.isSolved(changed(solution, {}), subject)).toBe(true)
    expect(challenges.isSolved(changed(solution, change), subject)).toBe(false)
  })

  test('whose digits moved from the number into the salt is refused', async () => {
    const issued = challenges.issue(subject, MOST)
    const { number } = JSON.parse(atob(await solved(issued))) as { number: number }
    const digits = String(number)
    const moved = { ...issued, salt: issued.salt + digits.slice(0, 1) }
    expect(challenges.isSolved(solutionOf(moved, Number(digits.slice(1))), subject)).toBe(false)
  })

  test('of any text is refused and never throws', () => {
    expect(challenges.isSolved(null, subject)).toBe(false)
    fc.assert(fc.property(fc.string(), (text) => !challenges.isSolved(text, subject)))
    fc.assert(fc.property(fc.json(), (json) => !challenges.isSolved(btoa(encodeURIComponent(json)), subject)))
    fc.assert(
      fc.property(
        fc.jsonValue(),
        (value) => !challenges.isSolved(Buffer.from(JSON.stringify(value)).toString('base64'), subject),
      ),
    )
    expect(challenges.isSolved('e'.repeat(100_000), subject)).toBe(false)
  })
})

test('numbers are spread over the whole range', () => {
  const first = challenges.issue(subject, MOST)
  const second = challenges.issue(subject, MOST)
  expect(first.salt).not.toBe(second.salt)
  expect(first.maxnumber).toBe(MOST)
})
