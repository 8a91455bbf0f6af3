import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OwnerClient } from '../server/test/child-service.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import { filledUp, jpegOf, photo, webpOf } from '../server/test/pictures.ts'
import { pathOf, type TicketData } from '../server/test/uploads.ts'
import type { BenchArguments, EngineName } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { hasPostgres } from './has-postgres.ts'
import { type LoadResult, runLoad } from './load.ts'
import type { Report } from './measure-workloads.ts'
import { onLoadCore, residentBytes } from './processes.ts'
import { hotUploads, hotVotes, startTossup, type TossupSubject } from './subjects.ts'
import { count, formatTable, megabytes, ratio } from './table.ts'
import { type Target, targetHead, targetRow } from './targets.ts'

const FIVE_MIB = 5 * 1024 * 1024
const WATCH_EVERY_MS = 25
const LONGEST_SECONDS = 900
const UPLOADER = new URL('uploader.ts', import.meta.url).pathname

interface Answer {
  readonly status: number
  readonly milliseconds: number
}

interface Watched {
  readonly engine: EngineName
  readonly kind: Kind
  readonly answers: readonly Answer[]
  /** Load without uploads, before and after them, because each vote costs more the more votes there are. */
  readonly alone: readonly LoadResult[]
  readonly meanwhile: LoadResult
  readonly before: number
  readonly peak: number
  readonly after: number
  readonly isRight: boolean
}

interface Size {
  readonly width: number
  readonly height: number
}

interface Kind {
  readonly name: string
  readonly type: string
  readonly many: number
  make(size: Size): Promise<Uint8Array>
}

/** Pictures as cameras and phones make them, and those that take longest to encode. */
const kinds: readonly Kind[] = [
  { name: 'JPEGs of 5 MiB', type: 'image/jpeg', many: 100, make: jpegOfFiveMib },
  { name: 'WebPs of 12 million pixels', type: 'image/webp', many: 20, make: webp },
]

export async function measureUploads({ engine, seconds, isQuick }: BenchArguments): Promise<Report> {
  const engines: EngineName[] = engine === null ? ['sqlite', 'postgres'] : [engine]
  const folder = await mkdtemp(join(tmpdir(), 'tossup-bench-'))
  atEnd(() => rm(folder, { recursive: true, force: true }))
  const size = isQuick ? { width: 800, height: 600 } : { width: 4_000, height: 3_000 }
  const watched: Watched[] = []
  for (const kind of kinds) {
    const file = join(folder, kind.type.replace('/', '.'))
    await writeFile(file, await kind.make(size))
    for (const name of engines) {
      if (name === 'postgres' && !(await hasPostgres(ADMIN_URL)))
        process.stdout.write('PostgreSQL does not answer: its part is skipped\n')
      else watched.push(await watchUploads({ engine: name, kind, file, seconds: isQuick ? 1 : Math.max(seconds, 10) }))
    }
  }
  const table = formatTable(
    [
      '',
      'answered 200',
      'first after',
      'last after',
      'votes/s alone',
      'meanwhile',
      'ratio',
      'memory before',
      'most',
      'with votes alone after',
    ],
    watched.map(row),
  )
  const targets = formatTable(targetHead, watched.flatMap(targetsOf).map(targetRow))
  return { text: `${table}\n\n${targets}`, isRight: watched.every(({ isRight }) => isRight) }
}

function row({ engine, kind, answers, alone, meanwhile, before, peak, after }: Watched): string[] {
  const times = answers.map(({ milliseconds }) => milliseconds / 1_000)
  return [
    `${kind.many} ${kind.name} at once, ${engine}`,
    count(answers.filter(({ status }) => status === 200).length),
    `${Math.min(...times).toFixed(1)} s`,
    `${Math.max(...times).toFixed(1)} s`,
    count(paceOf(alone)),
    count(paceOf([meanwhile])),
    ratio(paceOf([meanwhile]) / paceOf(alone)),
    megabytes(before),
    megabytes(peak),
    megabytes(after),
  ]
}

const sumOf = (loads: readonly LoadResult[], figure: (load: LoadResult) => number): number =>
  loads.reduce((sum, load) => sum + figure(load), 0)

const votesOf = (loads: readonly LoadResult[]): number => sumOf(loads, ({ requests, refused }) => requests - refused)

const paceOf = (loads: readonly LoadResult[]): number => votesOf(loads) / sumOf(loads, ({ seconds }) => seconds)

const targetsOf = ({ engine, kind, alone, meanwhile, peak }: Watched): Target[] => [
  { what: `${engine}, ${kind.name}: memory`, least: 300, measured: peak / 1e6, isCeiling: true, unit: ' MB' },
  {
    what: `${engine}, ${kind.name}: votes/s meanwhile against votes/s alone`,
    least: 0.5,
    measured: paceOf([meanwhile]) / paceOf(alone),
  },
]

interface Wanted {
  readonly engine: EngineName
  readonly kind: Kind
  readonly file: string
  readonly seconds: number
}

async function watchUploads({ engine, kind, file, seconds }: Wanted): Promise<Watched> {
  const subject = await startTossup(engine)
  atEnd(() => subject.stop())
  const plan = { reads: 0, votes: 1, votePaths: [hotVotes] }
  const first = await runLoad({ url: subject.url, plan, seconds })
  const tickets = await ticketsFor(subject, kind, Bun.file(file).size)
  const memory = () => residentBytes(subject.pid) ?? Number.NaN
  const before = memory()
  let most = before
  const watch = setInterval(() => {
    most = Math.max(most, memory())
  }, WATCH_EVERY_MS)
  try {
    const uploading = uploadAll(subject.url, file, tickets)
    const meanwhile = await runLoad({ url: subject.url, plan, seconds: LONGEST_SECONDS, until: uploading })
    const answers = await uploading
    const peak = most
    most = 0
    const last = await runLoad({ url: subject.url, plan, seconds })
    const alone = [first, last]
    const all = [...alone, meanwhile]
    const stored = await subject.stored()
    const sent = sumOf(all, ({ votesSent }) => votesSent)
    const isCounted =
      stored?.rows === stored?.tallies && (stored?.rows ?? 0) >= votesOf(all) && (stored?.rows ?? 0) <= sent
    const isRight =
      isCounted && all.every(({ refused }) => refused === 0) && answers.every(({ status }) => status === 200)
    return { engine, kind, answers, alone, meanwhile, before, peak, after: most, isRight }
  } finally {
    clearInterval(watch)
    await subject.stop()
  }
}

async function ticketsFor(subject: TossupSubject, { type, many }: Kind, byteSize: number): Promise<TicketData[]> {
  const { headers } = await OwnerClient.connect(subject.url, subject.owner)
  return Promise.all(
    Array.from({ length: many }, async () => {
      const answer = await fetch(subject.url + hotUploads, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json', 'X-Service-Idempotency-Key': crypto.randomUUID() },
        body: JSON.stringify({ slot: 'optionA', contentType: type, byteSize }),
      })
      if (answer.status !== 200) throw new Error(`no ticket: ${await answer.text()}`)
      return ((await answer.json()) as { data: TicketData }).data
    }),
  )
}

async function uploadAll(url: string, file: string, tickets: readonly TicketData[]): Promise<Answer[]> {
  const targets = tickets.map(({ uploadUrl, headers }) => ({ url: url + pathOf(uploadUrl), headers }))
  const command = [...onLoadCore, process.execPath, '--no-env-file', '--no-install', '--no-orphans', UPLOADER]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  child.stdin.write(JSON.stringify({ file, targets }))
  await child.stdin.end()
  const said = await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error('the uploads failed')
  return JSON.parse(said)
}

async function jpegOfFiveMib({ width, height }: Size): Promise<Uint8Array> {
  const painted = photo(width, height)
  let bytes: Uint8Array = new Uint8Array(FIVE_MIB + 1)
  for (let quality = 95; bytes.length > FIVE_MIB - 1_000; quality -= 3) bytes = await jpegOf(painted, quality)
  return filledUp(bytes, FIVE_MIB)
}

function webp({ width, height }: Size): Promise<Uint8Array> {
  return webpOf(photo(width, height, 20), { quality: 85 })
}
