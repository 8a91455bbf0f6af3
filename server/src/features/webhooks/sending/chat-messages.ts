import { sharesIn } from '../../../../../embed/src/results.ts'
import type { EventData, EventType } from '../../../events/event-catalogue.ts'

/** Events that a message of a chat can tell. */
export const CHAT_EVENTS = [
  'poll.opened',
  'poll.closed',
  'poll.milestone',
  'poll.integrity_alert',
] as const satisfies EventType[]

/** Plain text: markup that a brand has written is escaped. */
interface Message {
  readonly lines: readonly string[]
  /** An address of ours. */
  readonly link?: string
}

type Told = { readonly [Type in (typeof CHAT_EVENTS)[number] | 'webhook.test']: (data: EventData[Type]) => Message }

type OwnPoll = EventData['poll.closed']['poll']

/** Members of a large payload may be left out of it. */
const pollMessage = (
  first: string,
  { title, optionA, optionB, shareUrl }: Partial<OwnPoll>,
  last: string[],
): Message => ({
  lines: [`${first}: ${title ?? ''}`, ...(optionA && optionB ? [`${optionA.label} · ${optionB.label}`] : []), ...last],
  ...(shareUrl && { link: shareUrl }),
})

function resultOf({ optionA, optionB, tallies }: Partial<OwnPoll>): string[] {
  if (!tallies || !optionA || !optionB) return []
  if (tallies.total === 0) return ['No votes']
  const shares = sharesIn('en', tallies)
  const side = (label: string, letter: 'A' | 'B') =>
    `${label} ${shares[letter].text} (${tallies[`option${letter}`].toLocaleString('en-US')})`
  return [`${side(optionA.label, 'A')}, ${side(optionB.label, 'B')}`]
}

function verdictOf(
  { optionA, optionB, admission }: Partial<OwnPoll>,
  insight: EventData['poll.closed']['insight'] | undefined,
): string[] {
  // Votes by codes are a whole count, which the counts tell.
  if (admission === 'code') return []
  if (insight?.verdict === 'too_close') return ['Too close to call']
  const leader = insight?.leader === 'A' ? optionA : optionB
  return insight?.verdict === 'leading' && leader ? [`${leader.label} leads by more than chance`] : []
}

const MESSAGES: Told = {
  'poll.opened': ({ poll }) => pollMessage('Poll opened', poll, []),
  'poll.closed': ({ poll, insight }) =>
    pollMessage('Poll closed', poll, [...resultOf(poll), ...verdictOf(poll, insight)]),
  'poll.milestone': ({ poll, total }) => pollMessage(`${total.toLocaleString('en-US')} votes`, poll, resultOf(poll)),
  'poll.integrity_alert': ({ poll, score, reasons }) => ({
    lines: [`Conspicuous votes on ${poll.slug}: ${score} of 100`, ...reasons],
  }),
  'webhook.test': () => ({ lines: ['A test message of Tossup: this channel receives the events of your polls.'] }),
}

/** A webhook that had another format may still have other events to send. */
function messageOf({ type, data }: { readonly type: string; readonly data: unknown }): Message {
  const tell = (MESSAGES as Readonly<Record<string, (told: never) => Message>>)[type]
  return tell ? tell(data as never) : { lines: [type] }
}

/** Slack reads nothing but these three characters where `mrkdwn` is off, and no `@` as a mention. */
const slackText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Every character that could begin markup; a number or a dash at the beginning of a line could begin a list. */
const markdownText = (text: string): string =>
  text.replaceAll(/[\\`*_{}[\]()#~|>@:!+-]/g, '\\$&').replaceAll(/^(\d+)([.)])/g, '$1\\$2')

/** Mattermost looks for mentions without regard to backslashes: a character without width parts the sign from the name. */
const mattermostText = (text: string): string => markdownText(text).replaceAll('\\@', '@\u200b')

const withLink = ({ lines, link }: Message, shown: (text: string) => string): string =>
  [...lines.map((line) => shown(line)), ...(link ? [link] : [])].join('\n')

const FORMS: Readonly<Record<string, (message: Message) => object>> = {
  slack: (message) => ({ text: withLink(message, slackText), mrkdwn: false, unfurl_links: false }),
  discord: (message) => ({ content: withLink(message, markdownText), allowed_mentions: { parse: [] } }),
  mattermost: (message) => ({ text: withLink(message, mattermostText) }),
  // Runs of a RichTextBlock are plain text.
  teams: ({ lines, link }) => ({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: lines.map((text, i) => ({
            type: 'RichTextBlock',
            inlines: [{ type: 'TextRun', text, weight: i === 0 ? 'Bolder' : 'Default' }],
          })),
          ...(link && { actions: [{ type: 'Action.OpenUrl', title: 'Open the poll', url: link }] }),
        },
      },
    ],
  }),
}

/** The body of a delivery: the event itself, or a message about it in the form of a chat product. */
export function bodyIn(format: string, payload: string): string {
  const form = FORMS[format]
  return form ? JSON.stringify(form(messageOf(JSON.parse(payload)))) : payload
}
