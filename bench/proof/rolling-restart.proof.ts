import { afterEach, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { ChildService, createHome, createOwner, OwnerClient } from '../../server/test/child-service.ts'
import { audit, noFindings } from '../../server/test/crash/audit.ts'
import { Witness } from '../../server/test/crash/witness.ts'
import { engines } from '../../server/test/engines.ts'
import { eventually } from '../../server/test/eventually.ts'
import { ADMIN_URL } from '../../server/test/own-database.ts'

const RESTARTS = 3
/** Half of them open a connection for each vote, and half keep theirs. */
const VOTERS = 24
/** Without a pause, most of the processor goes to votes, and the restarts wait for it. */
const VOTE_EVERY_MS = 30
const RETRIES = 3
const RETRY_AFTER_MS = 200
const POLLS = ['first', 'second', 'third']

const undo: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const work of undo.splice(0).toReversed()) await work()
})

test.skipIf(!engines.includes('postgres'))(
  'postgres: workers restarted one by one under votes lose none, and each vote that is sent again is counted once',
  async () => {
    const home = await createHome(ADMIN_URL)
    undo.push(home.remove)
    const owner = await createOwner(home, 'rolling')
    const server = await ChildService.start(home, {
      options: ['--workers', '2'],
      settings: { LOG_LEVEL: 'info', DATABASE_POOL: '4' },
    })
    undo.push(() => server.stop())
    const client = await OwnerClient.connect(server.url, owner)
    for (const slug of POLLS) await client.createPoll(slug)

    const witness = new Witness()
    const refused: string[] = []
    let unanswered = 0
    let isOver = false
    async function voteOnAndOn(voter: number): Promise<void> {
      for (let i = voter; !isOver; i++) {
        const attempt = { poll: POLLS[i % POLLS.length] ?? '', device: randomUUID() }
        witness.sends(attempt)
        const send = async (): Promise<void> => {
          const answer = await fetch(`${server.url}/api/rest/v1/polls/${attempt.poll}/votes`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json', 'X-Device-Id': attempt.device },
            keepalive: voter % 2 === 0,
            body: i % 2 ? '{"option":"A"}' : '{"option":"B"}',
          })
          const body = await answer.text()
          witness.hears(attempt, answer.status, body)
          if (answer.status !== 201) refused.push(`${answer.status} ${body}`)
        }
        // The kernel may give a connection to a worker that is leaving, which resets it, and the next one too. The client library
        // sends such a vote again up to three times, after a pause.
        const insist = (left = RETRIES): Promise<unknown> =>
          send().catch(async (error) => {
            unanswered++
            if (left === 0) return refused.push(String(error))
            await Bun.sleep(RETRY_AFTER_MS)
            return insist(left - 1)
          })
        await insist()
        // Real time: a rate of votes.
        await Bun.sleep(VOTE_EVERY_MS)
      }
    }
    const voting = Promise.all(Array.from({ length: VOTERS }, (_, voter) => voteOnAndOn(voter)))
    // The timestamp makes each line distinct. Only the last lines are kept.
    const restarted = () => server.lastLines().findLast((line) => line.includes('all workers are restarted'))
    const seen = () => ({ accepted: witness.accepted, refused, lines: server.lastLines() })
    for (let restart = 1; restart <= RESTARTS; restart++) {
      const [before, last] = [witness.accepted, restarted()]
      process.kill(server.pid, 'SIGUSR2')
      const isRestarted = () => restarted() !== undefined && restarted() !== last
      await eventually(isRestarted, { withinMs: 90_000, everyMs: 50, seen })
      expect(witness.accepted).toBeGreaterThan(before)
    }
    isOver = true
    await voting
    process.stdout.write(`${unanswered} requests of ${witness.attempts.length} votes had to be sent again\n`)
    expect(refused).toEqual([])
    expect(await audit({ home, url: server.url, polls: POLLS, witness })).toEqual(noFindings())
  },
  300_000,
)
