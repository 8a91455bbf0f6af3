import pg from 'pg'

// The first version that a careful team would write: Bun.serve, a pool, prepared statements, one transaction for each vote.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PATH = /^\/api\/rest\/v1\/polls\/([a-z0-9-]{1,128})(\/votes|\/tallies)?$/
const [, , databaseUrl = '', ...slugs] = process.argv

const pool = new pg.Pool({ connectionString: databaseUrl, max: 16 })
await pool.query(`create table polls (key serial primary key, slug text not null unique, title text not null,
  label_a text not null, label_b text not null)`)
await pool.query(`create table tallies (poll_key int primary key references polls (key), option_a bigint not null
  default 0, option_b bigint not null default 0)`)
await pool.query(`create table votes (poll_key int not null references polls (key), device uuid not null, option text
  not null, voted_at timestamptz not null default now(), primary key (poll_key, device))`)
await pool.query(
  `insert into polls (slug, title, label_a, label_b)
  select slug, 'Tea or coffee?', 'Tea', 'Coffee' from unnest($1::text[]) slug`,
  [slugs],
)
await pool.query('insert into tallies (poll_key) select key from polls')

interface PollRow {
  key: number
  slug: string
  title: string
  label_a: string
  label_b: string
  option_a: string
  option_b: string
}

const findPoll = async (slug: string): Promise<PollRow | undefined> =>
  (
    await pool.query<PollRow>({
      name: 'poll',
      text: 'select * from polls join tallies on tallies.poll_key = polls.key where slug = $1',
      values: [slug],
    })
  ).rows[0]

type Tallied = Pick<PollRow, 'option_a' | 'option_b'>

function talliesOf(row: Tallied) {
  const optionA = Number(row.option_a)
  const optionB = Number(row.option_b)
  return { optionA, optionB, total: optionA + optionB }
}

async function read(slug: string): Promise<Response> {
  const poll = await findPoll(slug)
  if (!poll) return Response.json({ error: { code: 'NOT_FOUND' } }, { status: 404 })
  const { title, label_a, label_b } = poll
  return Response.json({
    data: { slug, title, optionA: { label: label_a }, optionB: { label: label_b }, tallies: talliesOf(poll) },
  })
}

async function vote(slug: string, request: Request): Promise<Response> {
  const device = request.headers.get('x-device-id') ?? ''
  if (!UUID.test(device)) return Response.json({ error: { code: 'UNAUTHORIZED' } }, { status: 401 })
  const { option } = (await request.json()) as { option?: unknown }
  if (option !== 'A' && option !== 'B') return Response.json({ error: { code: 'VALIDATION_ERROR' } }, { status: 422 })
  const client = await pool.connect()
  try {
    const answer = await castVote(client, { slug, device, option })
    client.release()
    return answer
  } catch (error) {
    client.release(true)
    throw error
  }
}

interface Ballot {
  readonly slug: string
  readonly device: string
  readonly option: 'A' | 'B'
}

async function castVote(client: pg.PoolClient, { slug, device, option }: Ballot): Promise<Response> {
  await client.query('begin')
  const { rows } = await client.query<{ poll_key: number; voted_at: Date }>({
    name: 'vote',
    text: `insert into votes (poll_key, device, option) select key, $2, $3 from polls where slug = $1
      on conflict do nothing returning poll_key, voted_at`,
    values: [slug, device, option],
  })
  const [stored] = rows
  if (!stored) {
    await client.query('rollback')
    return Response.json({ error: { code: 'VOTE_ALREADY_CAST' } }, { status: 409 })
  }
  const tallied = await client.query<Tallied>({
    name: option === 'A' ? 'tally-a' : 'tally-b',
    text:
      option === 'A'
        ? 'update tallies set option_a = option_a + 1 where poll_key = $1 returning option_a, option_b'
        : 'update tallies set option_b = option_b + 1 where poll_key = $1 returning option_a, option_b',
    values: [stored.poll_key],
  })
  await client.query('commit')
  const tallies = talliesOf(tallied.rows[0] ?? { option_a: '0', option_b: '0' })
  return Response.json({ data: { option, tallies, votedAt: stored.voted_at.toISOString() } }, { status: 201 })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const [, slug, rest] = PATH.exec(new URL(request.url).pathname) ?? []
    if (slug === undefined) return new Response(null, { status: 404 })
    return request.method === 'POST' && rest === '/votes' ? vote(slug, request) : read(slug)
  },
})

process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`)
