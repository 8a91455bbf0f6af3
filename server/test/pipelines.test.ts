import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { createCampaign } from './campaigns.ts'
import { engines } from './engines.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

const READS = 900
const MOST_TAKEN_UP = 16
const API = '/api/rest/v1'
const BODY = '{"option":"A"}'

describe.each([...engines])('%s: requests that one connection sends at once', (engine) => {
  let service: TestService
  let poll: PollData
  let campaignId: string
  beforeAll(async () => {
    service = await startTestService(engine)
    const brand = await service.createBrand()
    poll = await service.createPoll(brand)
    campaignId = (await createCampaign(service, brand, [poll])).campaignId
  })
  afterAll(() => service.stop())

  const read = (path: string): string => `GET ${API}${path} HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${randomUUID()}\r\n\r\n`
  const vote = (device: string): string =>
    `POST ${API}/polls/${poll.slug}/votes HTTP/1.1\r\nHost: x\r\nX-Device-Id: ${device}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`

  /** Answers on one connection until it closes or has answered all. */
  function send(requests: readonly string[]): Promise<string[]> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(service.service.url).port), '127.0.0.1', () =>
        socket.write(requests.join('')),
      )
      let text = ''
      const answers = () => text.split(/(?=HTTP\/1\.1 \d{3})/).filter(Boolean)
      socket.on('data', (bytes) => {
        text += bytes.toString()
        if (answers().length === requests.length) socket.end()
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(answers()))
    })
  }

  /** Follows HTTP for a client that pipelines: requests without an answer are sent again on a new connection. */
  async function sendAll(requests: readonly string[]): Promise<string[]> {
    const answered: string[] = []
    let inVain = 0
    while (answered.length < requests.length) {
      const answers = await send(requests.slice(answered.length))
      expect(answers.length).toBeLessThanOrEqual(MOST_TAKEN_UP)
      inVain = answers.length === 0 ? inVain + 1 : 0
      // Bun closes a connection whose first request waits for the database while a second one is there.
      if (inVain > 0) answered.push(...(await send(requests.slice(answered.length, answered.length + 1))))
      else answered.push(...answers)
    }
    return answered
  }

  const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

  test('are taken up 16 at a time, and the last answer says that the connection ends', async () => {
    const path = `/polls/${poll.slug}`
    expect((await service.get(path.slice(1))).status).toBe(200)
    const answers = await send(Array.from({ length: READS }, () => read(path)))
    expect(answers.map(statusOf)).toEqual(Array.from({ length: MOST_TAKEN_UP }, () => 200))
    expect(answers.map((answer) => /^connection: close\r$/im.test(answer))).toEqual(
      answers.map((_, i) => i === MOST_TAKEN_UP - 1),
    )
  })

  test('are all answered in their order, with a vote behind 900 reads, for a client that sends the rest again', async () => {
    const device = randomUUID()
    const reads = Array.from({ length: READS }, (_, i) =>
      i % 2 === 0 ? read(`/polls/${poll.slug}`) : read(`/campaigns/${campaignId}/no-such-${i}`),
    )
    const answers = await sendAll([...reads, vote(device)])
    expect(answers.map(statusOf)).toEqual([...reads.map((_, i) => (i % 2 === 0 ? 200 : 404)), 201])
    expect((await service.get(`polls/${poll.slug}/votes/me`, { device })).status).toBe(200)
  })

  test('as votes are each counted at most once, and none is lost', async () => {
    const devices = Array.from({ length: 40 }, () => randomUUID())
    const answers = await sendAll(devices.map(vote))
    // A vote whose answer the closed connection lost is found again.
    expect(answers.map(statusOf).filter((status) => status !== 201 && status !== 409)).toEqual([])
    for (const device of devices)
      expect((await service.get(`polls/${poll.slug}/votes/me`, { device })).status).toBe(200)
  })

  test('and whose client leaves do not keep others waiting', async () => {
    const port = Number(new URL(service.service.url).port)
    for (let i = 0; i < 20; i++) {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(read(`/campaigns/${campaignId}/progress`).repeat(READS), () => socket.destroy())
      })
      socket.on('error', () => undefined)
    }
    const answer = await service.get(`campaigns/${campaignId}/progress`, { device: randomUUID() })
    expect(answer.status).toBe(200)
  })
})
