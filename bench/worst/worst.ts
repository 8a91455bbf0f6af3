import type { BenchArguments, EngineName } from '../arguments.ts'
import { atEnd } from '../clean-up.ts'
import { Progress } from '../progress.ts'
import { median } from '../statistics.ts'
import { formatTable, milliseconds } from '../table.ts'
import type { Report } from '../workloads/measure-workloads.ts'
import { targetTable } from '../workloads/targets.ts'
import { documentOfEveryRoute } from './every-route.ts'
import { type Input, inputsFor } from './inputs.ts'
import { longestTurn, loopTime } from './main-thread.ts'
import { type Operation, publicOperations } from './public-operations.ts'
import { openScene, type Scene } from './scene.ts'

const MOST_MS = 8
/** Inputs that cost more than this at first sight are measured as often as `rounds` says. */
const SUSPICIOUS_MS = 1.5
/** For what goes on after the answer, such as the cleaning of memory. */
const SETTLE_MS = 4
const CODINGS = ['identity', 'gzip', 'zstd', 'br']

interface Cost {
  readonly kind: string
  /** In all. */
  readonly ms: number
  /** Without a pause in which others are answered. */
  readonly turn: number
  readonly status: number
}

/** The worst anonymous request of every public route: what it costs the event loop, on which every vote depends. */
export async function measureWorst({ engine, rounds, only }: BenchArguments): Promise<Report> {
  const name: EngineName = engine ?? 'sqlite'
  const scene = await openScene(name)
  atEnd(() => scene.subject.stop())
  const chosen = publicOperations(await documentOfEveryRoute()).filter(
    (operation) => only === null || only.split(',').includes(operation.name),
  )
  const progress = new Progress(chosen.length)
  const rows: { operation: Operation; worst: Cost; again: number | null }[] = []
  for (const operation of chosen) {
    const worst = await worstOf(scene, operation, rounds)
    rows.push({ operation, worst, again: await notModified(scene, operation, rounds) })
    progress.advance(1, operation.name)
  }
  progress.end()
  rows.sort((left, right) => right.worst.turn - left.worst.turn)
  const table = formatTable(
    ['route', 'its worst request', 'status', 'longest turn, ms', 'in all, ms', 'not modified, ms'],
    rows.map(({ operation, worst, again }) => [
      `${operation.method} ${operation.path}`,
      worst.kind,
      String(worst.status),
      milliseconds(worst.turn),
      milliseconds(worst.ms),
      again === null ? '' : milliseconds(again),
    ]),
  )
  const measured = Math.max(...rows.map(({ worst }) => worst.turn))
  const target = { what: 'the longest turn of the event loop', asked: MOST_MS, measured, isCeiling: true, unit: ' ms' }
  return { text: `${table}\n\n${targetTable([target])}`, isRight: measured <= MOST_MS }
}

async function worstOf(scene: Scene, operation: Operation, rounds: number): Promise<Cost> {
  const costs: Cost[] = []
  const bases = await scene.basesFor(operation, 0)
  for (const at of bases.keys()) {
    for (const coding of CODINGS) {
      const fresh = async (round: number): Promise<Input> => {
        await scene.change()
        const base = (await scene.basesFor(operation, round))[at] as Input
        return { ...base, kind: `${base.kind}, ${coding}`, headers: { ...base.headers, 'Accept-Encoding': coding } }
      }
      costs.push(await suspect(scene, operation, { rounds, fresh }))
    }
  }
  const [plain] = bases
  const inputs = plain ? inputsFor(operation, plain) : []
  for (const input of inputs) costs.push(await suspect(scene, operation, { rounds, fresh: async () => input }))
  return costs.reduce(withLongerTurn)
}

interface Suspect {
  readonly rounds: number
  fresh(round: number): Promise<Input>
}

/** An input that looks cheap once is not measured again. */
async function suspect(scene: Scene, operation: Operation, { rounds, fresh }: Suspect): Promise<Cost> {
  const first = await costOf(scene, operation, await fresh(0))
  if (first.ms < SUSPICIOUS_MS) return first
  const costs = [first]
  for (let round = 1; round < rounds; round++) costs.push(await costOf(scene, operation, await fresh(round)))
  const ms = median(costs.map((cost) => cost.ms))
  if (ms <= MOST_MS) return { ...first, ms, turn: ms }
  const { pid, url } = scene.subject
  const turns: number[] = []
  for (let round = 0; round < rounds; round++) {
    const input = await fresh(round + rounds)
    turns.push(await longestTurn(pid, url, () => costOf(scene, operation, input)))
  }
  return { ...first, ms, turn: Math.min(ms, median(turns)) }
}

/** Null where the operation has no answer with an ETag. */
async function notModified(scene: Scene, operation: Operation, rounds: number): Promise<number | null> {
  if (operation.method !== 'GET') return null
  let worst: number | null = null
  for (const base of await scene.basesFor(operation, 0)) {
    const { etag } = await costOf(scene, operation, base)
    if (etag === '') continue
    const input = { ...base, headers: { ...base.headers, 'If-None-Match': etag } }
    const costs: Cost[] = []
    for (let round = 0; round < rounds; round++) costs.push(await costOf(scene, operation, input))
    worst = Math.max(worst ?? 0, median(costs.map(({ ms }) => ms)))
  }
  return worst
}

const withLongerTurn = (left: Cost, right: Cost): Cost => (right.turn > left.turn ? right : left)

async function costOf({ subject }: Scene, { method }: Operation, input: Input): Promise<Cost & { etag: string }> {
  const { path, kind, headers = {}, body } = input
  const before = loopTime(subject.pid)
  const init = {
    method,
    headers,
    decompress: false,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  } as const
  const response = await fetch(subject.url + path, init)
  if (response.headers.get('content-type') === 'text/event-stream') await response.body?.cancel()
  else await response.arrayBuffer()
  // Real time: the loop may go on after the answer.
  await Bun.sleep(SETTLE_MS)
  const ms = loopTime(subject.pid) - before
  return { kind, ms, turn: ms, status: response.status, etag: response.headers.get('etag') ?? '' }
}
