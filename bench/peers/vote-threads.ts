import { Database } from 'bun:sqlite'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { freePort } from '../../server/test/free-port.ts'

// What could be gained if votes were parsed on other threads: a server stripped to the parts that matter for it. The main
// thread stores votes in SQLite, group by group. Without other threads it also parses the requests, as Tossup does.

type Verdicts = readonly boolean[]

/** Resolves with whether the vote is new, once it is stored. */
type Cast = (vote: string) => Promise<boolean>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const OPTION_OF: Readonly<Record<string, string>> = { '{"option":"A"}': 'A', '{"option":"B"}': 'B' }
const DEVICE_LENGTH = 32

/** Votes that wait for the next turn of the event loop, and then are one group. */
function gathered<Item>(work: (items: Item[]) => void): (item: Item) => void {
  let items: Item[] = []
  return (item) => {
    if (items.push(item) > 1) return
    setImmediate(() => {
      const group = items
      items = []
      work(group)
    })
  }
}

function openLedger(path: string): (votes: readonly string[]) => Verdicts {
  const file = new Database(path, { create: true, strict: true })
  file.run('pragma journal_mode = wal')
  file.run('pragma synchronous = full')
  file.run('pragma wal_autocheckpoint = 16384')
  file.run('create table votes (position integer primary key, option text not null, device blob not null)')
  file.run('create table tallies (option text primary key, votes integer not null) without rowid')
  file.run("insert into tallies values ('A', 0), ('B', 0)")
  const insert = file.prepare(
    'insert into votes (option, device) select substr(value, 1, 1), unhex(substr(value, 2)) from json_each(?)',
  )
  const count = file.prepare('update tallies set votes = votes + ?2 where option = ?1')
  const voted = new Set<string>()
  return (votes) => {
    const isNew = votes.map((vote) => {
      const device = vote.slice(1)
      return !voted.has(device) && voted.add(device).has(device)
    })
    const stored = votes.filter((_, i) => isNew[i])
    file.run('begin immediate')
    insert.run(JSON.stringify(stored))
    for (const option of ['A', 'B']) count.run(option, stored.filter((vote) => vote[0] === option).length)
    file.run('commit')
    return isNew
  }
}

function serve(port: number, cast: Cast): number | undefined {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    reusePort: true,
    async fetch(request) {
      const device = request.headers.get('x-device-id') ?? ''
      const option = OPTION_OF[await request.text()]
      if (request.method !== 'POST' || !UUID.test(device) || !option) return new Response(null, { status: 400 })
      const digest = new Bun.CryptoHasher('sha256').update(device).digest('hex').slice(0, DEVICE_LENGTH)
      const isNew = await cast(option + digest)
      const headers = { 'Content-Type': 'application/json', 'X-Request-Id': crypto.randomUUID() }
      return new Response(JSON.stringify({ success: true, data: { counted: isNew } }), { status: 201, headers })
    },
  })
  return server.port
}

interface Waiting<Item, Answer> {
  readonly item: Item
  readonly answer: (answer: Answer) => void
}

function serveAlone(port: number, store: ReturnType<typeof openLedger>): number | undefined {
  const add = gathered<Waiting<string, boolean>>((group) => {
    const isNew = store(group.map(({ item }) => item))
    for (const [i, { answer }] of group.entries()) answer(isNew[i] === true)
  })
  return serve(port, (item) => new Promise((answer) => add({ item, answer })))
}

/** Each thread listens on the same port, and sends the votes of a turn of its event loop in one message. */
function startThreads(port: number, count: number, store: ReturnType<typeof openLedger>): Promise<unknown> {
  const add = gathered<Waiting<readonly string[], Verdicts>>((group) => {
    const isNew = [...store(group.flatMap(({ item }) => item))]
    for (const { item, answer } of group) answer(isNew.splice(0, item.length))
  })
  const listening = Array.from({ length: count }, () => {
    const thread = new Worker(import.meta.path, { workerData: port })
    return new Promise<void>((resolve) => {
      thread.once('message', () => {
        thread.on('message', (item: readonly string[]) =>
          add({ item, answer: (verdicts) => thread.postMessage(verdicts) }),
        )
        resolve()
      })
    })
  })
  return Promise.all(listening)
}

/** Answers come in the order of the votes. */
function serveForMain(port: number, main: NonNullable<typeof parentPort>): void {
  const waiting: ((isNew: boolean) => void)[] = []
  const add = gathered<Waiting<string, boolean>>((group) => {
    waiting.push(...group.map(({ answer }) => answer))
    main.postMessage(group.map(({ item }) => item))
  })
  main.on('message', (verdicts: Verdicts) => {
    for (const [i, answer] of waiting.splice(0, verdicts.length).entries()) answer(verdicts[i] === true)
  })
  serve(port, (item) => new Promise((answer) => add({ item, answer })))
  main.postMessage('listening')
}

if (parentPort) serveForMain(workerData as number, parentPort)
if (isMainThread) {
  const [, , path = '', threads = '0'] = process.argv
  const store = openLedger(path)
  const port = freePort()
  if (threads === '0') serveAlone(port, store)
  else await startThreads(port, Number(threads), store)
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`)
}
