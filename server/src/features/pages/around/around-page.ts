import { type Html, html } from '../../../../../embed/src/render/html.ts'
import { isWebAddress } from '../../../../../embed/src/render/picture.ts'
import { type Lang, wordsOf } from '../../../../../embed/src/words.ts'
import { iso } from '../../../base/clock.ts'
import { filled, WORDS } from '../../../words/words.ts'
import type { TagCount } from '../../polls/lists.ts'
import type { Revision } from '../../polls/snapshots/revisions.ts'
import type { Subject } from '../page.ts'
import type { ShelfPoll } from './brand-shelf.ts'

type Head = Pick<Subject, 'brandName' | 'theme'> & {
  /** Null for a name that is no link. */
  readonly brandSlug: string | null
  readonly avatarUrl: string | null
}

/** The brand above a poll or a campaign: its picture, its name, and the way to its page. */
export function masthead({ brandName, brandSlug, theme, avatarUrl }: Head): Html {
  const light = avatarUrl ?? [theme.logoLightUrl, theme.logoDarkUrl].find(isWebAddress)
  const dark = avatarUrl ?? [theme.logoDarkUrl, theme.logoLightUrl].find(isWebAddress)
  const names = avatarUrl === null ? 'mark' : 'mark is-round'
  const logos =
    light &&
    dark &&
    (light === dark
      ? html`<img class="${names}" src="${light}" alt="">`
      : html`<img class="${names} for-light" src="${light}" alt="" loading="lazy"><img class="${names} for-dark" src="${dark}" alt="" loading="lazy">`)
  return html`<header class="masthead"><a${brandSlug !== null && html` href="/b/${brandSlug}"`}>${logos}<h1 dir="auto">${brandName}</h1></a></header>`
}

const MOST_SHOWN = 5

/** Open polls of the brand beside a poll or a campaign. It has no counts, so a vote elsewhere does not change the page. */
export function morePolls(
  { brandName, brandSlug, own }: Pick<Subject, 'brandName' | 'brandSlug'> & { readonly own: readonly string[] },
  open: readonly ShelfPoll[],
  lang: Lang,
): Html | null {
  const shown = open.filter(({ id }) => !own.includes(id)).slice(0, MOST_SHOWN)
  if (shown.length === 0) return null
  const items = shown.map(
    ({ shortId, title, labels: [a, b] }) =>
      html`<li><a href="/p/${shortId}"><b dir="auto">${title}</b><span><bdi>${a}</bdi> · <bdi>${b}</bdi></span></a></li>`,
  )
  const heading = wordsOf(lang).moreFrom.replace('#', () => brandName)
  return html`<aside class="more" aria-labelledby="more"><h2 id="more">${heading}</h2><ul>${items}</ul><a class="all" href="/b/${brandSlug}">${WORDS[lang].pages.all}</a></aside>`
}

/** Titles and labels from before each change after the first vote. The id is inside, so that a link to it opens the details. */
export function earlierTexts(revisions: readonly Revision[], lang: Lang): Html | null {
  if (revisions.length === 0) return null
  const { edited, until } = WORDS[lang].pages
  const format = new Intl.DateTimeFormat(lang, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  const items = revisions.map(
    ({ at, title, labelA, labelB }) =>
      html`<li><time datetime="${iso(at)}">${filled(until, { date: `${format.format(at)} UTC` })}</time><b dir="auto">${title}</b><span><bdi>${labelA}</bdi> · <bdi>${labelB}</bdi></span></li>`,
  )
  return html`<details class="revisions"><summary>${edited}</summary><ol id="revisions">${items}</ol></details>`
}

export interface Finder {
  readonly q: string
  readonly tag: string
  /** Appearance parameters of the address, which every way on keeps. */
  readonly given: readonly (readonly [string, string])[]
  /** Leads to the next page of the list. */
  readonly cursor: string | null
}

const queryOf = ({ q, tag, given }: Finder, more: readonly (readonly [string, string])[] = []): string => {
  const named = [...given, ['q', q] as const, ['tag', tag] as const, ...more].filter(([, value]) => value !== '')
  return `?${new URLSearchParams(named.map(([name, value]): [string, string] => [name, value]))}`
}

/** Search and topics above the polls of a brand: a form and links, which need no script. */
export function finder(asked: Finder, tags: readonly TagCount[], lang: Lang): Html {
  const words = WORDS[lang].pages
  const { q, tag, given } = asked
  const kept = [...given, ...(tag === '' ? [] : [['tag', tag] as const])]
  const hidden = kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
  const topics = tags.some((known) => known.tag === tag) || tag === '' ? tags : [{ tag, polls: 0 }, ...tags]
  const links = topics.map(
    (topic) =>
      html`<li><a href="${queryOf({ ...asked, tag: topic.tag })}"${topic.tag === tag && html` aria-current="true"`}><bdi>${topic.tag}</bdi>${topic.polls > 0 && html` <small>${topic.polls}</small>`}</a></li>`,
  )
  const all =
    (q !== '' || tag !== '') && html`<li><a href="${queryOf({ ...asked, q: '', tag: '' })}">${words.all}</a></li>`
  const row = (links.length > 0 || all) && html`<nav aria-label="${words.topics}"><ul>${all}${links}</ul></nav>`
  return html`<search class="finder"><form><input type="search" name="q" value="${q}" maxlength="200" aria-label="${words.search}" placeholder="${words.search}">${hidden}<button>${words.find}</button></form>${row}</search>`
}

export const wayOn = (asked: Finder, lang: Lang): Html | null =>
  asked.cursor === null
    ? null
    : html`<p class="way-on"><a href="${queryOf(asked, [['cursor', asked.cursor]])}">${wordsOf(lang).more}</a></p>`
