import { z } from 'zod'

const button = z.strictObject({
  type: z.literal(2),
  style: z.int().min(1).max(4),
  label: z.string().min(1).max(80),
  custom_id: z.string().min(1).max(100),
})
const row = z.strictObject({ type: z.literal(1), components: z.array(button).min(1).max(5) })
const embed = z.strictObject({
  title: z.string().min(1).max(256),
  url: z.url(),
  image: z.strictObject({ url: z.url() }),
})
const message = z
  .strictObject({
    content: z.string().max(2_000).optional(),
    flags: z.literal(64).optional(),
    embeds: z.array(embed).max(10).optional(),
    components: z.array(row).max(5).optional(),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()) }).optional(),
  })
  .refine(({ content, embeds }) => content || embeds?.length, 'Cannot send an empty message')
  .refine(({ components = [] }) => {
    const ids = components.flatMap((each) => each.components.map(({ custom_id }) => custom_id))
    return new Set(ids).size === ids.length
  }, 'Component custom id cannot be duplicated')
const answer = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal(1) }),
  z.strictObject({ type: z.literal(4), data: message }),
])

const NAME = /^[-_\p{Ll}\p{N}]{1,32}$/u
const described = { name: z.string().regex(NAME), description: z.string().min(1).max(100) }
const commands = z.array(
  z.strictObject({
    ...described,
    options: z.array(z.strictObject({ ...described, type: z.int().min(1).max(11), required: z.boolean() })),
  }),
)

export type Message = z.infer<typeof message>
export const TOKEN = 'a-token-of-a-bot'

/** Signs interactions, and refuses what Discord refuses, as far as we know: written without its documentation at hand. */
export class FakeDiscord {
  readonly publicKey: string
  readonly registered: z.infer<typeof commands>[] = []
  readonly #keys: CryptoKeyPair
  readonly #api: Bun.Server<undefined>

  private constructor(keys: CryptoKeyPair, publicKey: string) {
    this.#keys = keys
    this.publicKey = publicKey
    this.#api = Bun.serve({
      port: 0,
      routes: { '/applications/42/commands': { PUT: (request) => this.#register(request) } },
    })
  }

  static async start(): Promise<FakeDiscord> {
    const keys = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
    const raw = await crypto.subtle.exportKey('raw', keys.publicKey)
    return new FakeDiscord(keys, Buffer.from(raw).toString('hex'))
  }

  get api(): string {
    return `http://127.0.0.1:${this.#api.port}`
  }

  stop = (): Promise<void> => this.#api.stop(true)

  /** Sends an interaction. `forged` is what arrives instead of what was signed. */
  async send(bot: string, interaction: object, forged = interaction): Promise<Response> {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signed = new TextEncoder().encode(timestamp + JSON.stringify(interaction))
    const signature = await crypto.subtle.sign('Ed25519', this.#keys.privateKey, signed)
    const headers = {
      'Content-Type': 'application/json',
      'X-Signature-Ed25519': Buffer.from(signature).toString('hex'),
      'X-Signature-Timestamp': timestamp,
    }
    return fetch(bot, { method: 'POST', headers, body: JSON.stringify(forged) })
  }

  ping = async (bot: string): Promise<number> => answer.parse(await (await this.send(bot, { type: 1 })).json()).type

  command = (bot: string, user: string, poll: string): Promise<Message> =>
    this.#ask(bot, { type: 2, data: { name: 'poll', options: [{ name: 'name', type: 3, value: poll }] } }, user)

  press = (bot: string, user: string, customId: string): Promise<Message> =>
    this.#ask(bot, { type: 3, data: { component_type: 2, custom_id: customId } }, user)

  async #ask(bot: string, interaction: object, user: string): Promise<Message> {
    const response = await this.send(bot, { ...interaction, member: { user: { id: user } } })
    const told = answer.parse(await response.json())
    if (told.type !== 4) throw new Error('a ping was answered, not an interaction')
    return told.data
  }

  async #register(request: Request): Promise<Response> {
    if (request.headers.get('Authorization') !== `Bot ${TOKEN}`)
      return Response.json({ message: '401: Unauthorized', code: 0 }, { status: 401 })
    const body = commands.safeParse(await request.json())
    if (!body.success) return Response.json({ message: 'Invalid Form Body', code: 50_035 }, { status: 400 })
    this.registered.push(body.data)
    return Response.json(body.data)
  }
}
