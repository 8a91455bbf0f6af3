import { typefaceAddress } from '../../embed/src/theme/typeface.ts'
import { expectStatus, OwnerClient } from '../../server/test/child-service.ts'
import { startTossup, type TossupSubject } from '../workloads/subjects.ts'
import type { Input } from './inputs.ts'
import type { Operation } from './public-operations.ts'

const POLLS = 100
const CAMPAIGNS = 20
const emoji = (length: number): string => '😀'.repeat(length / 2)

/** A brand whose polls and campaigns are as large as the service allows, and requests that show them. */
export interface Scene {
  readonly subject: TossupSubject
  /** Requests that the operation answers; `round` makes each of them new, so that no earlier answer can be reused. */
  basesFor(operation: Operation, round: number): Promise<Input[]>
  /** Changes what every large answer shows. */
  change(): Promise<void>
}

export async function openScene(engine: 'sqlite' | 'postgres'): Promise<Scene> {
  const subject = await startTossup(engine)
  const { url, owner } = subject
  const client = await OwnerClient.connect(url, owner)
  const made = async <Made>(kind: string, json: object): Promise<Made> =>
    ((await expectStatus(await client.write('POST', `brands/me/${kind}`, json), 201)) as { data: Made }).data
  const polls: { id: string; slug: string; shortId: string }[] = []
  for (let i = 0; i < POLLS; i++) polls.push(await made('polls', largePoll(i)))
  const polstIds = polls.map(({ id }) => id)
  const campaigns: { campaignId: string }[] = []
  for (let i = 0; i < CAMPAIGNS; i++) {
    const title = `${i} ${emoji(100)}`
    campaigns.push(await made('campaigns', { title, description: emoji(500), polstIds }))
  }
  const customCss = '.title { color: teal }\n.option { color: #123456 }\n'.repeat(400)
  await expectStatus(await client.write('PATCH', 'brands/me/theme', { customCss }), 200)
  const { data: theme } = (await expectStatus(
    await fetch(`${url}/api/rest/v1/brands/${owner.brandSlug}/theme`),
    200,
  )) as {
    data: { customCssUrl: string }
  }
  const poll = polls[0] ?? { id: '', slug: '', shortId: '' }
  const campaignId = campaigns[0]?.campaignId ?? ''

  let looks = 0

  async function vote(): Promise<void> {
    const headers = { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() }
    const answer = await fetch(`${url}/api/rest/v1/polls/${poll.slug}/votes`, {
      method: 'POST',
      headers,
      body: '{"option":"A"}',
    })
    await expectStatus(answer, 201)
  }

  const publicUrl = new URL(theme.customCssUrl).origin
  const consolePage = await (await fetch(`${url}/console`)).text()
  const consoleFile = (address: RegExp): string => address.exec(consolePage)?.[1] ?? ''
  const shown = { p: poll.shortId, c: campaignId, b: owner.brandSlug }
  const values: Readonly<Record<string, string>> = {
    slug: poll.slug,
    pollId: poll.id,
    generation: '1',
    tilePath: 'entries/000.p/1',
    campaignId,
    brandSlug: owner.brandSlug,
    key: 'x'.repeat(43),
    lang: 'de',
    part: 'campaign',
    doc: 'errors',
    tag: 'polls',
    asset: 'search.json',
    picture: 'arabic-390.webp',
    page: 'polls',
    item: poll.shortId,
    token: `tsl_${'x'.repeat(43)}`,
    subscription: 'x'.repeat(43),
  }
  const files: Readonly<Record<string, string>> = {
    getStylesheet: theme.customCssUrl.split('/').at(-1) ?? '',
    getSitemap: 'polls-1.xml',
    getEmbedFont: typefaceAddress('latin').split('/').at(-1) ?? '',
    getConsoleScript: consoleFile(/\/console\/assets\/([\w-]+\.js)/),
    getConsoleStyles: consoleFile(/\/console\/assets\/styles\/([\w-]+\.css)/),
  }

  const look = () => (0x10_0000 + looks++).toString(16)

  return {
    subject,
    change: vote,
    async basesFor(operation, round) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const value = name === 'file' ? files[operation.name] : values[name]
        if (value === undefined) throw new Error(`a value for {${name}} of ${operation.name} belongs here`)
        return value
      })
      const headers = { 'X-Device-Id': crypto.randomUUID() }
      const base: Input = { kind: 'plain', path, headers, ...(operation.hasBody ? jsonBody(operation.name) : {}) }
      const { query, name } = operation
      const more: Input[] = []
      if (query.includes('limit')) more.push({ ...base, kind: 'longest page', path: `${path}?limit=100` })
      if (query.includes('size')) more.push({ ...base, kind: 'largest', path: `${path}?size=${4_096 - round}` })
      if (name === 'getOEmbed') {
        return Object.entries(shown).map(([kind, id]) => ({
          ...base,
          kind: `of /${kind}`,
          path: `${path}?url=${encodeURIComponent(`${publicUrl}/${kind}/${id}`)}`,
        }))
      }
      if (/Page|Frame/.test(name)) {
        more.push({ ...base, kind: 'new look', path: `${path}?accent=${look()}&lang=ar&theme=dark` })
      }
      return [base, ...more]
    },
  }
}

const largePoll = (i: number) => ({
  title: `${i} ${emoji(180)}`,
  optionA: { label: emoji(80), imageAlt: emoji(200) },
  optionB: { label: `${emoji(78)}b`, imageAlt: emoji(200) },
  tags: Array.from({ length: 20 }, (_, tag) => `${tag} ${emoji(36)}`),
})

function jsonBody(name: string): Pick<Input, 'body' | 'headers'> {
  const body = JSON.stringify(BODIES[name] ?? {})
  return { body, headers: { 'Content-Type': 'application/json', 'X-Device-Id': crypto.randomUUID() } }
}

const BODIES: Readonly<Record<string, object>> = {
  castVote: { option: 'A' },
  issueTokens: { externalDeviceId: 'x' },
  refreshTokens: { refreshToken: `tsr_${'A'.repeat(43)}` },
  revokeTokens: { token: `tsr_${'A'.repeat(43)}` },
}
