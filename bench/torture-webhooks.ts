import { createHome } from '../server/test/child-service.ts'
import { WebhookCrashTest, type WebhookResult } from '../server/test/crash/webhook-rounds.ts'
import { ADMIN_URL } from '../server/test/own-database.ts'
import { type EngineName, PUBLISHED_EVENTS } from './arguments.ts'
import { atEnd } from './clean-up.ts'
import { hasPostgres } from './has-postgres.ts'
import { describeMachine } from './machine.ts'
import { Progress } from './progress.ts'
import { writeSection } from './results-file.ts'
import { formatTable } from './table.ts'

const SHOWN_FINDINGS = 10
const KILL_EVERY_MS = 700

async function enginesFor(engine: EngineName | null): Promise<EngineName[]> {
  if (engine) return [engine]
  if (await hasPostgres(ADMIN_URL)) return ['sqlite', 'postgres']
  process.stdout.write('PostgreSQL does not answer: webhooks on PostgreSQL are skipped\n')
  return ['sqlite']
}

async function run(engine: EngineName, events: number): Promise<WebhookResult> {
  const home = await createHome(engine === 'postgres' ? ADMIN_URL : null)
  atEnd(() => home.remove())
  const crash = await WebhookCrashTest.start(home)
  atEnd(() => crash.stop())
  const progress = new Progress(events)
  let shown = 0
  const result = await crash.round({
    events,
    killEveryMs: KILL_EVERY_MS,
    onArrival(count) {
      progress.advance(count - shown, `arrived, on ${engine}`)
      shown = count
    },
  })
  progress.end()
  return result
}

/** Kills the server while a receiver fails at random, and counts the events that arrived. */
export async function tortureWebhooks(engine: EngineName | null, events: number): Promise<number> {
  const results: [EngineName, WebhookResult][] = []
  for (const each of await enginesFor(engine)) results.push([each, await run(each, events)])
  for (const [, { findings }] of results)
    for (const [kind, lines] of Object.entries(findings))
      for (const line of lines.slice(0, SHOWN_FINDINGS)) process.stdout.write(`${kind}: ${line}\n`)
  const head = ['', 'kills', 'acknowledged', 'attempts', 'lost', 'badly signed', 'unwanted']
  const rows = results.map(([each, { kills, acknowledged, attempts, findings }]) => {
    const counts = [
      kills,
      acknowledged,
      attempts,
      findings.lost.length,
      findings.unsigned.length,
      findings.unwanted.length,
    ]
    return [`Tossup on ${each}`, ...counts.map((count) => count.toLocaleString('en'))]
  })
  const table = formatTable(head, rows)
  process.stdout.write(`${table}\n`)
  if (engine === null && events >= PUBLISHED_EVENTS)
    await writeSection('webhook torture', `${await describeMachine('npm run torture -- --webhooks')}\n\n${table}`)
  return results.every(([, { findings }]) => Object.values(findings).every((lines) => lines.length === 0)) ? 0 : 1
}
