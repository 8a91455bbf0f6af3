import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import type { Place, Serving } from './command.ts'
import { engines } from './engines.ts'
import { Caller, portOf, serveUnlimited, serveWithPoll, untilDraining, voteHead } from './stopping-server.ts'

// Processes start slowly on a busy machine.
setDefaultTimeout(60_000)

describe.each([...engines])('%s: the end of a process under votes', (engine) => {
  let place: Place
  let server: Serving
  let poll: string

  beforeEach(async () => {
    ;({ place, server, poll } = await serveWithPoll(engine))
  })
  afterEach(async () => {
    server.kill('SIGKILL')
    await server.ended
    await place.clear()
  })

  /** 'A' or 'B' if the vote was acknowledged, the status if it was refused, null if no answer came. */
  async function vote(device: string, option: string): Promise<string | number | null> {
    try {
      const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/votes`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Device-Id': device },
        body: JSON.stringify({ option }),
      })
      const body = (await response.json()) as { data: { option: string } }
      return response.status === 201 ? body.data.option : response.status
    } catch {
      return null
    }
  }

  interface Cast {
    readonly device: string
    readonly answer: Promise<string | number | null>
  }

  function cast(i: number): Cast {
    const device = randomUUID()
    return { device, answer: vote(device, i % 2 ? 'A' : 'B') }
  }

  const castMany = (count: number): Cast[] => Array.from({ length: count }, (_, i) => cast(i))

  async function ownVote(device: string): Promise<string | null> {
    const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/votes/me`, {
      headers: { 'X-Device-Id': device },
    })
    const body = (await response.json()) as { data: { option: string } }
    expect([200, 404]).toContain(response.status)
    return response.status === 200 ? body.data.option : null
  }

  /** After a restart, all acknowledged votes are stored, and the tally is their sum. */
  async function expectKept(votes: readonly Cast[], atLeast: number): Promise<void> {
    server = await serveUnlimited(place)
    const kept: (string | null)[] = []
    // Twenty at a time: on a busy machine the last of hundreds would be answered 503.
    for (let at = 0; at < votes.length; at += 20)
      kept.push(...(await Promise.all(votes.slice(at, at + 20).map(({ device }) => ownVote(device)))))
    const acknowledged = await Promise.all(votes.map(({ answer }) => answer))
    for (const [i, option] of acknowledged.entries()) if (typeof option === 'string') expect(kept[i]).toBe(option)
    const stored = kept.filter((option) => option !== null)
    expect(stored.length).toBeGreaterThanOrEqual(atLeast)
    const response = await fetch(`${server.url}/api/rest/v1/polls/${poll}/tallies`)
    const { data } = (await response.json()) as { data: { tallies: unknown } }
    const optionA = stored.filter((option) => option === 'A').length
    expect(data.tallies).toEqual({ optionA, optionB: stored.length - optionA, total: stored.length })
  }

  test('SIGTERM during 500 votes and a slow request: requests in flight are answered, new ones are refused', async () => {
    const slow = new Caller(portOf(server))
    const device = randomUUID()
    await slow.send(voteHead(poll, device, 16))
    const idle = new Caller(portOf(server))
    await idle.send('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await idle.answer()).toStartWith('HTTP/1.1 200 ')

    const votes = castMany(500)
    await Promise.any(votes.map(async ({ answer }) => ((await answer) === null ? Promise.reject() : answer)))
    server.kill('SIGTERM')
    const answers = await Promise.all(votes.map(({ answer }) => answer))
    await untilDraining(server)
    expect(await vote(randomUUID(), 'A')).toBe(503)
    await slow.send('{"option": "A" }')
    expect(await slow.answer()).toStartWith('HTTP/1.1 201 ')
    const answeredAt = performance.now()

    const { code, stderr } = await server.ended
    expect(code).toBe(0)
    expect(performance.now() - answeredAt).toBeLessThan(8_000)
    expect(stderr).toContain('"msg":"stopped"')
    expect(stderr).not.toContain('"level":"error"')
    expect(answers.filter((answer) => typeof answer === 'number' && answer !== 503)).toEqual([])
    const acknowledged = answers.filter((answer) => typeof answer === 'string').length
    expect(acknowledged).toBeGreaterThan(0)
    idle.close()
    slow.close()
    await expectKept([...votes, { device, answer: Promise.resolve('A') }], acknowledged + 1)
  })

  test('kill -9 during votes: every acknowledged vote is stored', async () => {
    const votes: Cast[] = []
    let acknowledged = 0
    // A few at a time, so that the kill comes before the last vote.
    const sender = async () => {
      while (votes.length < 600) {
        const one = cast(votes.length)
        votes.push(one)
        if (typeof (await one.answer) === 'string' && ++acknowledged === 100) server.kill('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 20 }, sender))
    await server.ended
    const answers = await Promise.all(votes.map(({ answer }) => answer))
    expect(answers).toContain(null)
    await expectKept(votes, answers.filter((answer) => typeof answer === 'string').length)
  })
})
