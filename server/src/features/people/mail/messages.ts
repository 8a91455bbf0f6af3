import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { directionOf, type Lang } from '../../../../../embed/src/words.ts'
import type { Role } from '../../../base/roles.ts'
import { filled, WORDS } from '../../../words/words.ts'

export interface Message {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Linked {
  readonly to: string
  readonly url: string
  readonly lang: Lang
}

export function signInMessage({ to, url, lang }: Linked): Message {
  const words = WORDS[lang].people
  const body = { intro: filled(words.signInText, { email: to }), button: words.signInButton, life: words.signInLife }
  return message({ to, url, lang }, { subject: words.signInSubject, ...body })
}

export function invitationMessage(linked: Linked, { brand, role }: { brand: string; role: Role }): Message {
  const words = WORDS[linked.lang].people
  return message(linked, {
    subject: filled(words.inviteSubject, { brand }),
    intro: filled(words.inviteText, { brand, role: words.roles[role] }),
    button: words.inviteButton,
    life: words.inviteLife,
  })
}

interface Parts {
  readonly subject: string
  readonly intro: string
  readonly button: string
  readonly life: string
}

function message({ to, url, lang }: Linked, { subject, intro, button, life }: Parts): Message {
  const { notYou } = WORDS[lang].people
  const text = [intro, '', url, '', life, notYou, ''].join('\n')
  return { to, subject, text, html: String(page({ url, lang, subject, intro, button, life, notYou })) }
}

/** Styles in attributes and no pictures: what mail programs show without asking. */
const page = (parts: Parts & { url: string; lang: Lang; notYou: string }): Html =>
  html`<!doctype html><html lang="${parts.lang}" dir="${directionOf(parts.lang)}"><head><meta charset="utf-8"><title>${parts.subject}</title></head><body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1c1c1e;background:#fff"><p>${parts.intro}</p><p><a href="${parts.url}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:#1c1c1e;color:#fff;text-decoration:none">${parts.button}</a></p><p style="word-break:break-all"><a href="${parts.url}" style="color:#1c1c1e">${parts.url}</a></p><p>${parts.life}</p><p style="color:#6c6c70">${parts.notYou}</p></body></html>`
