// words: what the server says to people, in pages and mails: one file a language. English is complete; where another language
// lacks a text, the English one is shown, and `npm run check` lists it.

import type { Role } from '../base/roles.ts'
import type { CheckWords } from './check-words.ts'

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
  /** Who can count the votes of a poll again, where results are hidden. */
  readonly uncounted: { readonly untilClose: string; readonly always: string }
  readonly home: string
  readonly retry: string
  /** Before the id by which the operator finds the request in the log. */
  readonly request: string
  /** Opens the line with that id. */
  readonly details: string
}

/** Around the polls of hosted pages. The cards have the words of embed/src/languages. */
interface PageWords {
  readonly featured: string
  readonly search: string
  readonly find: string
  readonly all: string
  readonly topics: string
  readonly nothing: string
  /** Opens the titles and labels from before each change. `{date}` is when one of them ended. */
  readonly edited: string
  readonly until: string
}

/** The page of a poll or a campaign on a stage. Its other words are those of the cards. */
export interface StageWords {
  /** Beside the QR code. */
  readonly scan: string
  readonly hideResults: string
  readonly fullScreen: string
  /** While the counts cannot be read. */
  readonly lost: string
}

/** The page of shared results, and its pictures. `{…}` stands for a value. */
export interface ResultsWords {
  readonly title: string
  readonly shared: string
  readonly until: string
  readonly counted: string
  readonly scheduled: string
  readonly open: string
  readonly closed: string
  readonly interval: string
  readonly says: string
  readonly leading: string
  readonly leadingMeans: string
  readonly tooClose: string
  readonly tie: string
  readonly wholeCount: string
  readonly tooCloseMeans: string
  readonly noVotes: string
  readonly noVotesMeans: string
  readonly saysNot: string
  readonly notEverybody: string
  readonly oneLook: string
  readonly overTime: string
  readonly byHour: string
  readonly byDay: string
  readonly byWeek: string
  readonly sources: string
  readonly source: string
  readonly views: string
  readonly votes: string
  readonly rate: string
  readonly other: string
  readonly fewVotes: string
  readonly funnel: string
  readonly funnelText: string
  readonly respondents: string
  readonly completed: string
  readonly crosstab: string
  readonly first: string
  readonly second: string
  readonly compare: string
  readonly both: string
  readonly ofThose: string
  readonly noCause: string
  readonly withheld: string
  readonly difference: string
  readonly print: string
  readonly wide: string
  readonly square: string
  readonly csv: string
  readonly timelineCsv: string
  readonly sourcesCsv: string
  readonly asTable: string
  readonly time: string
  readonly from: string
}

/** Mails, and the page that their link opens. `{…}` stands for a value. */
interface PeopleWords {
  readonly signInSubject: string
  readonly signInText: string
  readonly signInButton: string
  readonly signInLife: string
  readonly inviteSubject: string
  readonly inviteText: string
  /** In place of the first sentence, where a person invites: their address. */
  readonly inviteBy: string
  readonly orCopy: string
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

/** Mails about polls to members who want them, and the page that ends these mails. */
interface MailWords {
  /** A poll has closed: the subject of its mail too, as are the next two. */
  readonly closed: string
  readonly firstVote: string
  readonly reached: string
  /** Several polls in one mail. */
  readonly newsSubject: string
  readonly newsText: string
  readonly digestSubject: string
  readonly digestText: string
  readonly resultsButton: string
  readonly digestButton: string
  readonly noVotes: string
  readonly tooClose: string
  readonly leading: string
  readonly interval: string
  /** Beside the interval where no option leads. */
  readonly oneLook: string
  readonly aboutVoters: string
  readonly why: string
  readonly stop: string
  readonly stopTitle: string
  readonly stopText: string
  readonly stopButton: string
  readonly stopped: string
}

export interface Words {
  readonly check: CheckWords
  readonly home: HomeWords
  readonly errors: ErrorWords
  readonly pages: PageWords
  readonly stage: StageWords
  readonly results: ResultsWords
  readonly people: PeopleWords
  readonly mails: MailWords
  /** Below the answers of a poll in a mail. */
  readonly newsletter: { readonly choose: string }
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
    uncounted: {
      untilClose: 'Once the poll has closed, everybody can count its votes again here.',
      always: 'Votes can be counted again only where everybody may see the results.',
    },
    home: 'Start page',
    retry: 'Try again',
    request: 'Request',
    details: 'Details',
  },
  pages: {
    featured: 'Featured',
    search: 'Search polls',
    find: 'Search',
    all: 'All polls',
    topics: 'Topics',
    nothing: 'No matching polls',
    edited: 'Edited after the first vote',
    until: 'Until {date}',
  },
  stage: {
    scan: 'Scan to vote',
    hideResults: 'Hide results',
    fullScreen: 'Full screen',
    lost: 'No connection. Trying again…',
  },
  results: {
    title: 'Results',
    shared: 'Everybody who has this link can see these results.',
    until: 'The link works until {date}.',
    counted: 'Counted {date}',
    scheduled: 'Voting has not opened yet',
    open: 'Voting is open',
    closed: 'Voting is closed',
    interval: '95% interval: {low} to {high}',
    says: 'What this says',
    leading: '{label} is ahead',
    leadingMeans:
      'If every vote were a coin toss, a lead this clear would ever appear in at most 5 of 100 polls, however often you look.',
    tooClose: 'Too close to call',
    tie: 'A tie',
    wholeCount: 'Each code counts once: this is the whole count, not a sample.',
    tooCloseMeans: 'These votes do not rule out an even split. More votes may show a leader.',
    noVotes: 'No votes yet',
    noVotesMeans: 'There is nothing to say before the first vote.',
    saysNot: 'What this does not say',
    notEverybody:
      'It describes those who voted, not a population: nobody was drawn at random, and one vote is one device.',
    oneLook: 'The interval holds for one look, at a number of votes that was fixed beforehand.',
    overTime: 'Votes over time',
    byHour: 'By hour (UTC)',
    byDay: 'By day (UTC)',
    byWeek: 'By week (UTC)',
    sources: 'Where votes came from',
    source: 'Source',
    views: 'Views',
    votes: 'Votes',
    rate: 'Votes per view',
    other: 'Other',
    fewVotes: 'Sources with fewer than 10 votes are part of “Other”.',
    funnel: 'How far respondents came',
    funnelText: 'Devices that voted within the campaign. Votes cast elsewhere on its polls are not in these numbers.',
    respondents: 'Respondents',
    completed: 'Completed',
    crosstab: 'Two polls compared',
    first: 'First poll',
    second: 'Second poll',
    compare: 'Compare',
    both: '{count} respondents answered both polls.',
    ofThose: 'Of those who chose {row}, {share} chose {column}; of the others, {rest} did.',
    noCause: 'A link between two answers is no cause.',
    withheld: 'Not shown: at least one of the four groups has fewer than 10 respondents.',
    difference: 'Difference: {difference} points ({low} to {high})',
    print: 'Print',
    wide: 'Picture for slides',
    square: 'Square picture',
    csv: 'Results as CSV',
    timelineCsv: 'Timeline as CSV',
    sourcesCsv: 'Sources as CSV',
    asTable: 'As a table',
    time: 'Time',
    from: 'Source: {brand}',
  },
  people: {
    signInSubject: 'Your sign-in link for Tossup',
    signInText: 'Open this link to sign in as {email}:',
    signInButton: 'Sign in',
    signInLife: 'The link works once, for 15 minutes.',
    inviteSubject: '{brand} invites you to Tossup',
    inviteText: 'You are invited to work on the polls of {brand} as {role}. Open this link to accept:',
    inviteBy: '{inviter} invites you to work on the polls of {brand} as {role}.',
    orCopy: 'If the button does not work, copy this address into your browser:',
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
  mails: {
    closed: '“{title}” has closed',
    firstVote: 'The first vote on “{title}”',
    reached: '“{title}” has {votes} votes',
    newsSubject: 'News from the polls of {brand}',
    newsText: 'News from the polls of {brand}:',
    digestSubject: 'Last week at {brand}',
    digestText:
      'Votes last week: {votes}. The week before: {before}. Open polls: {open}. These polls have the most votes:',
    resultsButton: 'See the results',
    digestButton: 'Open the console',
    noVotes: 'Nobody has voted.',
    tooClose: 'Too close to call.',
    leading: '“{label}” leads by more than chance explains.',
    interval: '95% interval of “{label}”: {low} to {high}',
    oneLook: 'The interval holds for one look at a number of votes that was fixed beforehand.',
    aboutVoters: 'All numbers are about those who voted, not about everybody.',
    why: 'You get this mail because you turned it on in the console of {brand}.',
    stop: 'Stop all mails about this brand',
    stopTitle: 'Stop these mails',
    stopText: 'You will get no more mails about the polls of this brand. You can turn them on again in the console.',
    stopButton: 'Stop the mails',
    stopped: 'Done: you will get no more mails about the polls of this brand.',
  },
  check: {
    title: 'Check the count',
    intro:
      'Every vote on this poll is an entry in a public record, without a name or a time. This page reads the whole record and counts it again, here in your browser.',
    noScript: 'Counting again needs JavaScript.',
    counting: '{done} of {all} entries counted',
    waiting: 'Waiting for the newest votes to enter the record: {votes}',
    sound: 'Counted again: it matches',
    soundText: 'Nothing in the record contradicts the result. Read below what this means, and what it does not.',
    bad: 'Something does not match',
    badText: 'Please tell others, and keep what you see. The line in red says what is wrong.',
    unsure: 'Not checked',
    unsureText: 'This says nothing about the votes. Try again later.',
    signature: 'Signature',
    signed: 'The record is signed with the key of this poll’s record.',
    signedFile: 'The file is signed with the same key as the record of this poll.',
    signatureBad: 'The record is not signed with the right key. It was changed, or it comes from somebody else.',
    seen: 'Same record as before',
    seenFirst:
      'This browser has not checked this poll before. It remembers today’s record, so that your next visit can compare.',
    seenSame: 'All that this browser saw before is still there, unchanged.',
    seenBad: 'Something that was shown before is gone or was changed.',
    restartSame: 'The record was started again on {date}. All that this browser saw before is still in it.',
    restartBad:
      'The record was started again on {date}, and something that this browser saw before is missing. Restoring an old backup does that, and so does cheating. This page cannot tell which.',
    recount: 'Counted again',
    counted: '{a}: {votesA}. {b}: {votesB}. The published result is this sum.',
    countedFile: '{a}: {votesA}. {b}: {votesB}.',
    altered: 'An entry was changed, removed, added or moved.',
    between: 'It is between entries {first} and {last}.',
    missing: 'A part of the record is not served, so it cannot be counted.',
    differs: 'The published result is not the sum of the record.',
    behind:
      'The published result has votes that are not in the record. They may be on their way: check again in a few minutes. If it stays like this, the result is not confirmed.',
    own: 'Your vote',
    ownNone: 'This browser has no receipt for a vote on this poll, so it cannot look for one.',
    ownFound: 'It is entry {place}, for {label}.',
    ownBad: 'It is not in the record, or it is there with the other answer.',
    notChecked: 'Not checked',
    restarted:
      'The record was started again on {date}: a backup was restored, or the poll moved. The record before had this many votes: {votes}.',
    shows: 'What this shows',
    showsList: [
      'The result is the exact sum of the entries.',
      'If you voted in this browser: your vote is in there, with your answer.',
      'Entries that were there on your last visit were not changed or removed.',
    ],
    not: 'What this does not show',
    notByCode:
      'That each entry is another person. Each code counts once, but the person who runs the poll can issue more codes: compare the number of entries with the number of people who voted.',
    notList: [
      'That each entry is another person. Somebody can vote from several devices, and whoever runs the poll can cast votes too.',
      'That every vote got in. A vote that was left out is noticed only by its voter.',
      'That two voters were not shown the same entry.',
      'That everybody sees the same record. Compare with others, for example with a downloaded copy.',
      'That your answer stays secret on this device: whoever uses this browser can see it here, and prove it to others. The record itself names nobody.',
      'That this page is honest: it comes from the service that it checks. A tool from elsewhere can check the same record.',
    ],
    keep: 'Keep it, compare it',
    keepText:
      'Download the record, and check it whenever you like, also here: choose the file, or drop it on this page. The file stays in your browser.',
    download: 'Download the record',
    choose: 'Check a downloaded record',
    file: 'This is about the file {name}.',
    otherFile: 'The file is the record of another poll or another service: {origin}. This page cannot know its key.',
    evidence: 'Save both as evidence',
    evidenceText: 'Both versions are signed. Together they prove to anybody that the record was changed.',
    again: 'Check again',
    byHand: 'How to check without this page',
    unsupported:
      'This browser cannot check signatures. Current versions of Chrome, Edge, Firefox and Safari can, on pages with https.',
    unreachable: 'The service does not answer.',
    malformed: 'This is not the record of a poll.',
  },
  newsletter: { choose: 'Choose an answer, and confirm it on the page that opens.' },
}
