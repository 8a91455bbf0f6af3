import { digitsFor, shownInterval } from '../../../../../embed/src/insight/intervals.ts'
import { ballotOf, insightOf } from '../../../../../embed/src/insight/verdict.ts'
import { sharesIn } from '../../../../../embed/src/results.ts'
import { percentIn } from '../../../../../embed/src/words.ts'
import { filled, WORDS } from '../../../words/words.ts'
import type { Deps } from '../../deps.ts'
import { brandInMail, type Item, mailPage } from '../../people/mail/layout.ts'
import type { Message } from '../../people/mail/mailer.ts'
import { stopLink } from '../../people/mail/preferences.ts'
import type { Summary } from '../schema.ts'
import type { Recipient } from './recipients.ts'

interface Content {
  readonly subject: string
  readonly intro: string
  readonly items: readonly Item[]
  readonly button: string
  /** Below the address of the console. */
  readonly path: string
}

/** A poll with its counts, and what happened to it: the number of votes that it reached, or 0 if it closed. */
export interface News {
  readonly total: number
  readonly slug: string
  readonly title: string
  readonly labels: { readonly A: string; readonly B: string }
  readonly optionA: number
  readonly optionB: number
  /** Votes by codes are a whole count. */
  readonly isBallot: boolean
}

export function newsMail(deps: Deps, recipient: Recipient, news: readonly [News, ...News[]]): Message {
  const words = WORDS[recipient.lang].mails
  const { name } = brandInMail(deps.config, recipient)
  const told = news.map((each) => ({ each, headline: headlineOf(each, recipient) }))
  const [first] = news
  const isSingle = news.length === 1
  const headline = headlineOf(first, recipient)
  return memberMail(deps, recipient, {
    subject: isSingle ? headline : filled(words.newsSubject, { brand: name }),
    intro: isSingle ? headline : filled(words.newsText, { brand: name }),
    items: told.map(({ each, headline: line }) => ({
      title: isSingle ? each.title : line,
      lines: resultLines(each, recipient),
    })),
    button: words.resultsButton,
    path: isSingle ? `/polls/${first.slug}` : '/polls',
  })
}

export function digestMail(deps: Deps, recipient: Recipient, { votes, polls, top }: Summary): Message {
  const words = WORDS[recipient.lang].mails
  const { name } = brandInMail(deps.config, recipient)
  const number = new Intl.NumberFormat(recipient.lang)
  const numbers = { votes: number.format(votes.span), before: number.format(votes.before) }
  return memberMail(deps, recipient, {
    subject: filled(words.digestSubject, { brand: name }),
    intro: filled(words.digestText, { ...numbers, open: number.format(polls.open) }),
    items: top.map(({ poll: { title, optionA, optionB, tallies } }) => ({
      title,
      lines: shareLines({ ...tallies, labels: { A: optionA.label, B: optionB.label } }, recipient),
    })),
    button: words.digestButton,
    path: '',
  })
}

function headlineOf({ total, title }: News, { lang }: Recipient): string {
  const words = WORDS[lang].mails
  if (total === 0) return filled(words.closed, { title })
  if (total === 1) return filled(words.firstVote, { title })
  return filled(words.reached, { title, votes: new Intl.NumberFormat(lang).format(total) })
}

type Counted = Pick<News, 'labels' | 'optionA' | 'optionB'>

function shareLines({ labels, optionA, optionB }: Counted, { lang }: Recipient): string[] {
  const number = new Intl.NumberFormat(lang)
  const shares = sharesIn(lang, { optionA, optionB })
  const line = (letter: 'A' | 'B', count: number) =>
    `${labels[letter]}: ${number.format(count)}${optionA + optionB === 0 ? '' : ` (${shares[letter].text})`}`
  return [line('A', optionA), line('B', optionB)]
}

/** The counts, the verdict in words, and the interval. */
function resultLines(news: News, recipient: Recipient): string[] {
  const words = WORDS[recipient.lang].mails
  const { tie, wholeCount } = WORDS[recipient.lang].results
  const { votes, low, high, verdict, leader } = (news.isBallot ? ballotOf : insightOf)(news)
  const shares = shareLines(news, recipient)
  const leads = leader === null ? tie : filled(words.leading, { label: news.labels[leader] })
  if (news.isBallot && votes > 0) return [...shares, leads, wholeCount]
  if (low === null || high === null) return [...shares, words.noVotes]
  const shown = shownInterval({ low, high }, votes)
  const percent = (share: number) => percentIn(recipient.lang, 100 * share, digitsFor(votes))
  const ends = { label: news.labels.A, low: percent(shown.low), high: percent(shown.high) }
  const isClose = verdict === 'too_close' || leader === null
  return [
    ...shares,
    isClose ? words.tooClose : leads,
    filled(words.interval, ends),
    ...(isClose ? [words.oneLook] : []),
  ]
}

/** RFC 8058: a mail program ends the mails with one press, without opening a page. */
function memberMail(deps: Deps, recipient: Recipient, { subject, intro, items, button, path }: Content): Message {
  const { lang, email } = recipient
  const words = WORDS[lang].mails
  const { name, logo } = brandInMail(deps.config, recipient)
  const { orCopy } = WORDS[lang].people
  const url = `${deps.config.publicUrl}/console/${recipient.slug}${path}`
  const stop = { text: words.stop, url: stopLink(deps, recipient) }
  const quiet = [words.aboutVoters, filled(words.why, { brand: name })]
  const texts = items.map(({ title, lines }) => [title, ...lines, ''].join('\n'))
  return {
    to: email,
    subject,
    text: [intro, '', ...texts, `${button}:`, url, '', ...quiet, '', `${stop.text}:`, stop.url, ''].join('\n'),
    html: String(mailPage({ lang, subject, intro, items, button, url, logo, orCopy, quiet, stop })),
    headers: { 'List-Unsubscribe': `<${stop.url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}
