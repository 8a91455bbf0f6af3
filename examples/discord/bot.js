// Answers the interactions of Discord: the command /poll, and the buttons of the polls that it posts.
import { createHmac } from 'node:crypto'
import { isTossupError, memoryStore, Visitor } from '@tossup/sdk/visitor'

const { TOSSUP_URL: url, DISCORD_PUBLIC_KEY, DEVICE_SECRET, PORT = '4100' } = process.env
if (!url || !DISCORD_PUBLIC_KEY || !DEVICE_SECRET) {
  throw new Error('Set TOSSUP_URL, DISCORD_PUBLIC_KEY and DEVICE_SECRET: see README.md')
}

// The numbers of Discord's interface.
const ASKED = { ping: 1, command: 2, button: 3 }
const ANSWER = { pong: 1, message: 4 }
const ROW = 1
const BUTTON = 2
const PRIMARY = 1
const ONLY_FOR_THEM = 64

/** Discord gives up after three seconds. */
const PATIENCE_MS = 2_000

const bytes = (hex) => Uint8Array.fromHex(hex)
const key = await crypto.subtle.importKey('raw', bytes(DISCORD_PUBLIC_KEY), 'Ed25519', false, ['verify'])

async function isFromDiscord(headers, body) {
  const signature = headers.get('X-Signature-Ed25519') ?? ''
  const signed = new TextEncoder().encode((headers.get('X-Signature-Timestamp') ?? '') + body)
  return /^[\da-f]{128}$/i.test(signature) && crypto.subtle.verify('Ed25519', key, bytes(signature), signed)
}

/** A member of Discord is one device: always the same, and not to be guessed. */
function deviceOf(userId) {
  const hash = createHmac('sha256', DEVICE_SECRET).update(userId).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

/** The voter of an interaction. In a server it names a member, in a direct message a user. */
const visitorOf = ({ member, user }) =>
  new Visitor({ url, deviceId: deviceOf((member?.user ?? user).id), storage: memoryStore() })

const tell = (content) => ({ type: ANSWER.message, data: { content, flags: ONLY_FOR_THEM } })

async function post(interaction, signal) {
  const name = interaction.data.options.find((option) => option.name === 'name').value
  const poll = await visitorOf(interaction).getPoll(name, { signal })
  const buttons = ['A', 'B'].map((option) => ({
    type: BUTTON,
    style: PRIMARY,
    label: poll[`option${option}`].label,
    custom_id: `vote:${poll.shortId}:${option}`,
  }))
  const message = {
    embeds: [{ title: poll.title, url: poll.shareUrl, image: { url: `${poll.shareUrl}/card.jpg` } }],
    components: [{ type: ROW, components: buttons }],
    // A title may contain @everyone.
    allowed_mentions: { parse: [] },
  }
  return { type: ANSWER.message, data: message }
}

async function vote(interaction, signal) {
  const [, shortId, option] = interaction.data.custom_id.split(':')
  const visitor = visitorOf(interaction)
  const poll = await visitor.getPoll(shortId, { signal })
  try {
    const { tallies } = await visitor.castVote(shortId, option, { signal })
    return tell(`Your vote: ${poll[`option${option}`].label}. ${resultOf(poll, tallies)}`)
  } catch (error) {
    if (!isTossupError(error, 'VOTE_ALREADY_CAST')) throw error
    const first = error.details.existingVote.option
    const own = await visitor.getOwnVote(shortId, { signal })
    return tell(
      `Your first vote counts: ${poll[`option${first}`].label}. ${resultOf(poll, own?.tallies ?? poll.tallies)}`,
    )
  }
}

function resultOf(poll, { optionA, optionB, total, hidden }) {
  if (hidden) return 'The results are not public yet.'
  return `${poll.optionA.label} ${optionA}, ${poll.optionB.label} ${optionB}, ${total} ${total === 1 ? 'vote' : 'votes'}.`
}

const SAYINGS = {
  NOT_FOUND: 'There is no such poll.',
  VALIDATION_ERROR: 'There is no such poll.',
  POLST_CLOSED: 'This poll takes no votes now.',
  RATE_LIMITED: 'Too many votes at once. Try again in a minute.',
}

async function answer(interaction) {
  if (interaction.type === ASKED.ping) return { type: ANSWER.pong }
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    if (interaction.type === ASKED.command) return await post(interaction, signal)
    if (interaction.type === ASKED.button) return await vote(interaction, signal)
    return tell('This bot knows /poll and the buttons of its polls.')
  } catch (error) {
    console.error(error)
    return tell(SAYINGS[error.code] ?? 'The poll cannot be reached. Try again later.')
  }
}

export default {
  port: Number(PORT),
  async fetch(request) {
    const body = await request.text()
    if (!(await isFromDiscord(request.headers, body))) return new Response('invalid request signature', { status: 401 })
    return Response.json(await answer(JSON.parse(body)))
  },
}
