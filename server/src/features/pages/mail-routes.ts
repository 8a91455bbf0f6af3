import { z } from 'zod'
import { type Html, html } from '../../../../embed/src/render/html.ts'
import { directionOf, LANGS, type Lang, wordsOf } from '../../../../embed/src/words.ts'
import { orNotFound } from '../../base/errors.ts'
import { textLike } from '../../base/fields.ts'
import { type PublicPoll, pollParams } from '../../events/resources/poll.ts'
import { type Route, route } from '../../http/route.ts'
import { WORDS } from '../../words/words.ts'
import type { Deps } from '../deps.ts'
import { brandScope } from '../people/tokens/guards.ts'
import { presentPublicPoll } from '../polls/present-poll.ts'
import { findOwnedPoll, labelsOf } from '../polls/queries.ts'

const mailQuery = z.object({
  source: textLike(
    /^[\da-z_-]{1,40}$/,
    'The declared name of the place, such as a newsletter: its links carry it, so that votes count for it.',
    'newsletter',
  ).optional(),
  lang: z.enum(LANGS).default('en').describe('The language of the words around the poll.'),
})

const pollMail = z
  .object({
    html: z.string().meta({
      description: 'A block of HTML for the mail: a table and a sheet for dark mode, no script.',
      examples: ['<table role="presentation">…</table>'],
    }),
    text: z.string().meta({
      description: 'The same as plain text.',
      examples: ['Tea or coffee?\n\nTea: https://polls.example.com/p/Xk3_pQ9vZ2Lm?choose=A'],
    }),
  })
  .meta({ id: 'PollMail', description: 'A poll for a mail.' })

export const mailRoutes = (deps: Deps): Route[] => [
  route({
    method: 'GET',
    path: '/brands/me/polls/{slug}/email',
    name: 'getPollEmail',
    tag: 'Polls',
    summary: 'A poll for a newsletter',
    description:
      'Each answer is a link to the page of the poll with that answer prepared: one press there casts the vote, so mail scanners, which open every link, cast none.',
    guard: brandScope(deps, 'manage'),
    caching: 'private',
    params: pollParams,
    query: mailQuery,
    answers: { 200: { description: 'The poll as HTML and as text.', schema: pollMail } },
    errors: ['NOT_FOUND'],
    async handle({ identity, params, query, now }) {
      const { db } = deps.engine
      const row = orNotFound(await findOwnedPoll(db, identity.brandKey, params.slug))
      const labels = await labelsOf(db, [row.key])
      const poll = presentPublicPoll(row, labels(row.key), { deps, viewer: 'public', now })
      return { data: mailOf(poll, query) }
    },
  }),
]

interface Answer {
  readonly label: string
  readonly url: string
  readonly picture: { readonly url: string; readonly alt: string } | null
}

function mailOf(poll: PublicPoll, { source, lang }: z.output<typeof mailQuery>): z.output<typeof pollMail> {
  const answers = (['A', 'B'] as const).map((choice) => answerOf(poll, choice, source))
  const { choose } = WORDS[lang].newsletter
  const lines = answers.map(({ label, url }) => `${label}:\n${url}`)
  return {
    html: `${blockOf(poll, answers, { lang, choose })}`,
    text: [poll.title, ...lines, choose].join('\n\n'),
  }
}

/** Mail programs show at most 600 pixels, two pictures beside each other: sharp at twice their size. */
const WIDTH = 640

function answerOf(poll: PublicPoll, choice: 'A' | 'B', source: string | undefined): Answer {
  const slot = `option${choice}` as const
  const { label, imageUrl, imageAlt } = poll[slot]
  const url = new URL(poll.shareUrl)
  if (source) url.searchParams.set('source', source)
  url.searchParams.set('choose', choice)
  const variant = poll.imageVariants.find((each) => each.slot === slot && each.width === WIDTH)
  const picture = imageUrl && { url: variant?.url ?? imageUrl, alt: imageAlt ?? label }
  return { label, url: url.href, picture: picture || null }
}

/** Programs that drop the sheet, or change colours by themselves, show the colours of the attributes. */
const DARK =
  '@media(prefers-color-scheme:dark){.tossup-title{color:#f2f2f7!important}.tossup-note{color:#aeaeb2!important}.tossup-answer{background:#f2f2f7!important}.tossup-answer a{color:#1c1c1e!important}}'

const FONT = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
const TABLE = html`role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`

/** Tables, because some mail programs know no other layout. Names are in any language, so each decides its own direction. */
function blockOf(poll: PublicPoll, answers: readonly Answer[], { lang, choose }: { lang: Lang; choose: string }): Html {
  const hasPictures = answers.some(({ picture }) => picture)
  const combined = !hasPictures && poll.images.combined
  const whole = html`<tr><td colspan="2" style="padding:0 6px 12px"><a href="${poll.shareUrl}"><img src="${combined || ''}" alt="${poll.title}" width="588" style="display:block;width:100%;height:auto;border:0;border-radius:12px"></a></td></tr>`
  return html`<style>${DARK}</style><table ${TABLE} lang="${lang}" dir="${directionOf(lang)}" style="max-width:600px;margin:0 auto;${FONT}"><tr><td class="tossup-title" colspan="2" style="padding:0 6px 16px;font-size:24px;line-height:1.25;font-weight:700;color:#1c1c1e"><bdi>${poll.title}</bdi></td></tr>${combined && whole}${hasPictures && html`<tr>${answers.map(pictureOf)}</tr>`}<tr>${answers.map((answer) => buttonOf(answer, lang))}</tr><tr><td class="tossup-note" colspan="2" style="padding:12px 6px 0;font-size:14px;line-height:1.4;color:#636366">${choose}</td></tr></table>`
}

/** Where the program cuts no pictures, both keep their own shapes. */
const pictureOf = ({ picture, url }: Answer): Html =>
  html`<td width="50%" valign="bottom" style="width:50%;padding:0 6px 8px">${picture && html`<a href="${url}"><img src="${picture.url}" alt="${picture.alt}" width="288" style="display:block;width:100%;height:auto;aspect-ratio:1;object-fit:cover;border:0;border-radius:12px;font-size:14px;line-height:1.4"></a>`}</td>`

const buttonOf = ({ label, url }: Answer, lang: Lang): Html =>
  html`<td width="50%" valign="top" style="width:50%;padding:0 6px"><table ${TABLE}><tr><td class="tossup-answer" align="center" bgcolor="#1c1c1e" style="border-radius:12px;background:#1c1c1e"><a href="${url}" title="${wordsOf(lang).voteFor.replace('#', () => label)}" style="display:block;padding:14px 10px;font-size:16px;line-height:1.25;font-weight:700;color:#ffffff;text-decoration:none;word-break:break-word"><bdi>${label}</bdi></a></td></tr></table></td>`
