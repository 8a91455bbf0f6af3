import { expect, setDefaultTimeout, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { type EngineName, engines } from './engines.ts'
import { patchPoll } from './polls.ts'
import { type PollData, startTestService, type TestService } from './service.ts'

// Runs alone: it measures time.
setDefaultTimeout(300_000)

const PAIRS = 1_500
const WARM_UP = 200
/** A share of the time of an answer, far below what the way to another machine adds. */
const MOST_DIFFERENCE = 0.1
/** How far from half of the pairs the hidden log may be the slower one. */
const MOST_BIAS = 0.1
/** Other work on the machine may disturb a look. A difference between the answers is in each of them. */
const LOOKS = 3

const PARTS = ['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1', 'bundle']
const REQUEST_ID = /[\da-f]{8}-[\da-f-]{27}|req_\w+/g

async function answerOf(url: string): Promise<string> {
  const response = await fetch(url)
  expect(response.status).toBe(404)
  const headers = [...response.headers].filter(([name]) => name !== 'date')
  return JSON.stringify([headers, await response.text()]).replaceAll(REQUEST_ID, '')
}

async function timeOf(url: string): Promise<number> {
  const begun = performance.now()
  await (await fetch(url)).arrayBuffer()
  return performance.now() - begun
}

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0

/** The answers come by turns in one run, so that other work on the machine falls on both. */
async function compareTimes(hidden: string, unknown: string) {
  const times: { hidden: number; unknown: number }[] = []
  for (let i = -WARM_UP; i < PAIRS; i++) {
    const isFirst = i % 2 === 0
    const one = await timeOf(isFirst ? hidden : unknown)
    const other = await timeOf(isFirst ? unknown : hidden)
    if (i >= 0) times.push(isFirst ? { hidden: one, unknown: other } : { hidden: other, unknown: one })
  }
  const slower = times.filter((each) => each.hidden > each.unknown).length / PAIRS
  return {
    hidden: median(times.map((each) => each.hidden)),
    unknown: median(times.map((each) => each.unknown)),
    slower,
  }
}

async function hiddenPoll(service: TestService): Promise<PollData & { generation: string }> {
  const brand = await service.createBrand()
  const poll = await service.createPoll(brand)
  for (let i = 0; i < 300; i++) await service.vote(poll.slug, 'A')
  for (let run = 0; run < 2; run++) {
    service.clock.advance(10_000)
    await service.runDue()
  }
  const { body } = await service.get<{ origin: string; size: number }>(`polls/${poll.slug}/log`)
  expect(body.data.size).toBe(300)
  await patchPoll(service, brand, poll.slug, { resultsVisibility: 'never' })
  return { ...poll, generation: body.data.origin.slice(-6) }
}

const print = (engine: EngineName, url: string, { hidden, unknown, slower }: Record<string, number>) => {
  const [path, one, other, share] = [new URL(url).pathname, hidden, unknown, slower] as [string, number, number, number]
  const micros = [one, other].map((ms) => `${(1_000 * ms).toFixed(0)} µs`)
  const text = `${path.replaceAll(REQUEST_ID, '…')}: ${micros.join(' hidden, ')} unknown, slower in ${(100 * share).toFixed(1)} %`
  process.stdout.write(`${engine} ${text}\n`)
}

const isSmall = ({ time, bias }: { time: number; bias: number }) => time < MOST_DIFFERENCE && bias < MOST_BIAS

test.each([...engines])(
  '%s: the log of hidden results answers as one that does not exist, in the same time',
  async (engine) => {
    const service = await startTestService(engine, { jobs: 'by hand' })
    const { slug, id, generation } = await hiddenPoll(service)
    const [other, api] = [randomUUID(), '/api/rest/v1/polls']
    const paths = [
      [`${api}/${slug}/log`, `${api}/${slug.slice(0, -6)}zzzzzz/log`],
      [`${api}/${id}/log`, `${api}/${other}/log`],
      ...PARTS.map((part) => [`/log/${id}/${generation}/${part}`, `/log/${other}/${generation}/${part}`]),
    ]
    for (const pair of paths) {
      const [hidden, unknown] = pair.map((path) => new URL(path, service.service.url).href) as [string, string]
      expect(await answerOf(hidden)).toBe(await answerOf(unknown))
      const differences: { time: number; bias: number }[] = []
      do {
        const times = await compareTimes(hidden, unknown)
        print(engine, hidden, times)
        differences.push({ time: Math.abs(times.hidden / times.unknown - 1), bias: Math.abs(times.slower - 0.5) })
      } while (!differences.some(isSmall) && differences.length < LOOKS)
      expect(differences.filter(isSmall)).not.toEqual([])
    }
    await service.stop()
  },
)
