// words: what the server says to people, in pages and mails: one file a language. English is complete; where another language
// lacks a text, the English one is shown, and `npm run check` lists it.

import type { Role } from '../base/roles.ts'

export type Trouble = 'invalid' | 'denied' | 'missing' | 'busy' | 'broken' | 'away'

/** The page at `/`. The docs and the reference that it leads to are in English alone, which `english` says. */
export interface HomeWords {
  readonly question: string
  readonly sentence: string
  /** The name of the part with the polls of the demo. */
  readonly demo: string
  readonly next: string
  readonly console: readonly [title: string, text: string]
  readonly docs: readonly [title: string, text: string]
  readonly reference: readonly [title: string, text: string]
  /** Above the two lines of HTML for the reader's own page. */
  readonly own: string
  readonly lines: string
  readonly copy: string
  readonly copied: string
  readonly license: string
  /** Null in English. */
  readonly english: string | null
}

/** For each kind of trouble what happened, and what to do. The browser elements have their own words. */
interface ErrorWords extends Readonly<Record<Trouble, readonly [happened: string, advice: string]>> {
  /** The hosted pages of what is missing, and one advice for all of them. */
  readonly gone: { readonly [What in 'poll' | 'campaign' | 'feed' | 'advice']: string }
  readonly home: string
  readonly retry: string
  /** Before the id by which the operator finds the request in the log. */
  readonly request: string
}

/** Mails, and the page that their link opens. `{…}` stands for a value. */
interface PeopleWords {
  readonly signInSubject: string
  readonly signInText: string
  readonly signInButton: string
  readonly signInLife: string
  readonly inviteSubject: string
  readonly inviteText: string
  readonly inviteButton: string
  readonly inviteLife: string
  readonly notYou: string
  readonly roles: Readonly<Record<Role, string>>
  /** The page that a link opens. */
  readonly joinTitle: string
  readonly joinText: string
  readonly joinButton: string
  readonly joined: string
  readonly refused: string
  readonly failed: string
  readonly providerFailed: string
}

export interface Words {
  readonly home: HomeWords
  readonly errors: ErrorWords
  readonly people: PeopleWords
}

type Text = string | null | readonly string[]

export type Translation<Texts = Words> = {
  readonly [Name in keyof Texts]?: Texts[Name] extends Text ? Texts[Name] : Translation<Texts[Name]>
}

export const en: Words = {
  home: {
    question: 'This or that?',
    sentence: 'Two-option polls for any page: one vote per device, and an exact count.',
    demo: 'Polls of the demo',
    next: 'Where to go next',
    console: ['Console', 'Create polls, see results and invite people, without code.'],
    docs: ['Docs', 'From the first poll to a server that you can monitor and back up.'],
    reference: ['Reference', 'Every operation of the API, with examples and a form to try it.'],
    own: 'On your own page',
    lines: 'These two lines show a poll. The poll brings its style, its language and its results.',
    copy: 'Copy',
    copied: 'Copied',
    license: 'MIT licensed',
    english: null,
  },
  errors: {
    invalid: ['This link doesn’t work', 'Check the address, or go back to where you found it.'],
    denied: ['You can’t open this page', 'You may have to sign in first.'],
    missing: ['Page not found', 'Check the address. The page may have moved or been removed.'],
    busy: ['Too many requests', 'Wait a moment, then try again.'],
    broken: ['Something went wrong', 'That’s our fault, not yours. Try again in a moment.'],
    away: ['We can’t answer right now', 'Try again in a moment. Every confirmed vote is safe.'],
    gone: {
      poll: 'We can’t find this poll',
      campaign: 'We can’t find this campaign',
      feed: 'We can’t find this page',
      advice: 'It isn’t published yet, or it was removed. Check the link.',
    },
    home: 'Start page',
    retry: 'Try again',
    request: 'Request',
  },
  people: {
    signInSubject: 'Your sign-in link for Tossup',
    signInText: 'Open this link to sign in as {email}:',
    signInButton: 'Sign in',
    signInLife: 'The link works once, for 15 minutes.',
    inviteSubject: '{brand} invites you to Tossup',
    inviteText: 'You are invited to work on the polls of {brand} as {role}. Open this link to accept:',
    inviteButton: 'Accept the invitation',
    inviteLife: 'The link works once, for 7 days.',
    notYou: 'If you did not expect this mail, ignore it: nothing happens without the link.',
    roles: { owner: 'owner', editor: 'editor', analyst: 'analyst' },
    joinTitle: 'Sign in to Tossup',
    joinText: 'The link works once. Sign in on the device that you want to work on.',
    joinButton: 'Sign in',
    joined: 'You are signed in as {email}.',
    refused: 'This link does not work any more. Ask for a new one.',
    failed: 'That did not work. Check your connection and try again.',
    providerFailed:
      'Signing in with your provider did not work. Try again, or ask an owner of the brand to invite you.',
  },
}
