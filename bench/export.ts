import { randomUUID } from 'node:crypto'
import { inDatabase, OwnerClient } from '../server/test/child-service.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { fillVoters } from './fill.ts'
import { hasPostgres } from './has-postgres.ts'
import type { Report } from './measure-workloads.ts'
import { type PageTimes, timeList } from './pages.ts'
import { residentBytes } from './processes.ts'
import { Progress } from './progress.ts'
import { hotVotes, startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable, megabytes, milliseconds } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'
import { downloadVoters, type VoterFile } from './voter-file.ts'

const VOTERS = '/api/rest/v1/brands/me/polls/hot/voters'
const VOTING_AT_ONCE = 4
const LOOK_EVERY_MS = 100

interface Measured {
  readonly engine: EngineName
  readonly file: VoterFile
  readonly seconds: number
  readonly votesMeanwhile: number
  readonly memory: number
  readonly isRight: boolean
  readonly pages: PageTimes
}

/** Measures the export of all voters of a poll as CSV while votes continue, and the cost of a page of voters. */
export async function measureExport({ engine, most }: BenchArguments): Promise<Report> {
  const engines: EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  const progress = new Progress(engines.length * most)
  const measured: Measured[] = []
  for (const name of engines) {
    if (name === 'postgres' && !(await hasPostgres(ADMIN_URL)))
      process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
    else measured.push(await measureEngine(name, { most, progress }))
  }
  progress.end()
  const head = ['', 'rows', 'bytes', 'seconds', 'rows/s', 'votes meanwhile', 'most memory', 'as tallied']
  const rows = measured.map(({ engine: name, file, seconds, votesMeanwhile, memory, isRight }) => [
    name,
    ...[count(file.rows), megabytes(file.bytes), seconds.toFixed(1), count(file.rows / seconds)],
    ...[count(votesMeanwhile), megabytes(memory), isRight ? 'yes' : 'NO'],
  ])
  const pages = measured.map(({ engine: name, pages: { first, second, deep } }) => [
    name,
    ...[first, second, deep].map(milliseconds),
  ])
  const parts = [
    formatTable(head, rows),
    formatTable(['voters', 'first page ms', 'second', '500th'], pages),
    formatTable(targetHead, measured.flatMap(targetsOf).map(targetRow)),
  ]
  return { text: parts.join('\n\n'), isRight: measured.every(({ isRight }) => isRight) }
}

const targetsOf = ({ engine, file, memory, pages }: Measured): Target[] => [
  {
    what: `${engine}: memory while ${count(file.rows)} rows are sent and votes go on`,
    least: 300,
    measured: memory / 1e6,
    isCeiling: true,
    unit: ' MB',
  },
  {
    what: `${engine}: 500th page of voters against the first`,
    least: 1.5,
    measured: pages.deep / pages.first,
    isCeiling: true,
  },
]

async function measureEngine(
  engine: EngineName,
  { most, progress }: { most: number; progress: Progress },
): Promise<Measured> {
  const made = await startTossup(engine)
  await made.pause()
  const onStored = (votes: number) => progress.advance(votes, `${engine}, filling ${count(most)}`)
  await fillVoters(made.home, ['hot'], { voters: most, onStored })
  const subject = await made.restart()
  atEnd(() => subject.stop())
  const { headers } = await OwnerClient.connect(subject.url, subject.owner)
  const watch = watchMemory(subject)
  const voting = voteOn(subject)
  const startedAt = performance.now()
  const file = await downloadVoters(subject.url + VOTERS, { ...headers, Accept: 'text/csv' })
  const seconds = (performance.now() - startedAt) / 1_000
  const votesMeanwhile = await voting.end()
  const memory = watch.end()
  const isRight = file.rows >= most && (await isAsTallied(subject, file))
  const pages = await timeList({ list: 'voters', url: subject.url + VOTERS, headers })
  await subject.stop()
  return { engine, file, seconds, votesMeanwhile, memory, isRight, pages }
}

function watchMemory({ pid }: TossupSubject) {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid) ?? Number.NaN)
  }, LOOK_EVERY_MS)
  return {
    end: () => {
      clearInterval(timer)
      return peak
    },
  }
}

function voteOn({ url }: TossupSubject) {
  let isOver = false
  let votes = 0
  const voters = Array.from({ length: VOTING_AT_ONCE }, async () => {
    while (!isOver) {
      const answer = await fetch(url + hotVotes, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Device-Id': randomUUID() },
        body: '{"option":"A"}',
      })
      await answer.arrayBuffer()
      if (answer.status !== 201) throw new Error(`a vote was answered ${answer.status}`)
      votes++
    }
  })
  return {
    async end() {
      isOver = true
      await Promise.all(voters)
      return votes
    },
  }
}

/** Compares the file with the tallies at the file's highest position, computed from the rows and the tallies now. */
const isAsTallied = ({ home }: TossupSubject, { rows, optionA, optionB }: VoterFile): Promise<boolean> =>
  inDatabase(home, async ({ engine: { db } }) => {
    const hot = db
      .selectFrom('votes')
      .innerJoin('polls', 'polls.key', 'votes.poll_key')
      .innerJoin('tallies', 'tallies.poll_key', 'votes.poll_key')
      .where('polls.slug', '=', 'hot')
    const later = await hot
      .where('position', '>', rows)
      .select(['option', 'tallies.option_a', 'tallies.option_b'])
      .execute()
    const tally = later[0] ?? (await hot.select(['tallies.option_a', 'tallies.option_b']).limit(1).executeTakeFirst())
    const after = (option: string) => later.filter((vote) => vote.option === option).length
    return tally?.option_a === optionA + after('A') && tally.option_b === optionB + after('B')
  })
