import { z } from 'zod'
import { html } from '../../../../embed/src/render/html.ts'
import type { Lang } from '../../../../embed/src/words.ts'
import { orNotFound } from '../../base/errors.ts'
import { transaction } from '../../db/transaction.ts'
import { preferredLang } from '../../http/answers/negotiate.ts'
import { header, type Incoming } from '../../http/incoming.ts'
import { readNeedlessText } from '../../http/json.ts'
import { anyone, type Route, route } from '../../http/route.ts'
import { WORDS } from '../../words/words.ts'
import type { Deps } from '../deps.ts'
import { readStopToken, stopMails } from '../people/mail/preferences.ts'
import { page, pageAnswers } from './sign-in-routes.ts'

/** Opening the page ends nothing, so a mail scanner may. */
function askPage(lang: Lang) {
  const { stopTitle: title, stopText, stopButton } = WORDS[lang].mails
  const body = html`<h1>${title}</h1><p>${stopText}</p><form method="post"><button>${stopButton}</button></form>`
  return page({ lang, title, body, scripts: [], hasForm: true }, 200)
}

function stoppedPage(lang: Lang) {
  const { stopTitle: title, stopped } = WORDS[lang].mails
  return page({ lang, title, body: html`<h1>${title}</h1><p role="status">${stopped}</p>`, scripts: [] }, 200)
}

/** RFC 8058: mail programs send the POST themselves, without cookies. The token is the whole permission, and does nothing else. */
export function mailStopRoutes(deps: Deps): Route[] {
  const common = {
    path: '/mail/stop/{subscription}',
    isOutside: true,
    guard: anyone,
    caching: 'none',
    params: z.object({ subscription: z.string() }),
    answers: pageAnswers,
    errors: ['NOT_FOUND'],
  } as const
  const subscriptionOf = (token: string) => orNotFound(readStopToken(deps.keys, token))
  const langOf = (incoming: Incoming) => preferredLang(header(incoming, 'accept-language'))

  return [
    route({
      ...common,
      method: 'GET',
      name: 'getMailStop',
      handle({ params, incoming }) {
        subscriptionOf(params.subscription)
        return askPage(langOf(incoming))
      },
    }),
    route({
      ...common,
      method: 'POST',
      name: 'stopMails',
      // Every body means the same.
      takes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
      async handle({ params, incoming }) {
        await readNeedlessText(incoming.request)
        incoming.endReceiving()
        const subscription = subscriptionOf(params.subscription)
        await transaction(deps.engine, (tx) => stopMails(tx, subscription))
        return stoppedPage(langOf(incoming))
      },
    }),
  ]
}
