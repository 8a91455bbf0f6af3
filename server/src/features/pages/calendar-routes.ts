import { MINUTE } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { type PublicPoll, pollParams } from '../../events/resources/poll.ts'
import { etagOf, publicCaching } from '../../http/answers/caching.ts'
import { outside, type Route, route } from '../../http/route.ts'
import type { FindSubjects } from './find-subjects.ts'

/** Long enough to vote, for a poll that nobody closes. */
const OPEN_FOR = 15 * MINUTE
const MOST_OCTETS = 75

/** RFC 5545: a reminder of the opening of a poll. */
export const calendarRoutes = (find: FindSubjects): Route[] => [
  route({
    ...outside,
    path: '/p/{slug}/calendar.ics',
    name: 'getPollCalendar',
    params: pollParams,
    answers: {
      200: {
        description: 'The event.',
        contentType: 'text/calendar',
        headers: { always: ['ETag', 'Content-Disposition'] },
      },
    },
    errors: ['NOT_FOUND'],
    async handle({ params: { slug }, now }) {
      const found = await find.poll(slug, now)
      const poll = found?.data()
      if (!found || !poll || poll.status !== 'scheduled' || poll.opensAt === null) throw notFound()
      const body = calendarOf(poll, poll.opensAt)
      const headers = {
        'Content-Type': 'text/calendar; charset=utf-8',
        'Content-Disposition': `attachment; filename="${poll.slug}.ics"`,
        ...publicCaching(now, found),
        ETag: etagOf(body),
      }
      return { status: 200, body, headers }
    },
  }),
]

/** The same poll has the same UID in each version, so that a calendar replaces an event that moved. */
function calendarOf(
  { id, title, optionA, optionB, shareUrl, closesAt, updatedAt }: PublicPoll,
  opensAt: string,
): string {
  const endsAt = closesAt ?? new Date(Date.parse(opensAt) + OPEN_FOR).toISOString()
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tossup//Polls//EN',
    'BEGIN:VEVENT',
    `UID:${id}@${new URL(shareUrl).hostname}`,
    `DTSTAMP:${utc(updatedAt)}`,
    `DTSTART:${utc(opensAt)}`,
    `DTEND:${utc(endsAt)}`,
    `SUMMARY:${escaped(title)}`,
    `DESCRIPTION:${escaped(`${optionA.label} · ${optionB.label}\n${shareUrl}`)}`,
    `URL:${shareUrl}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

/** `2026-01-31T12:00:00.000Z` as `20260131T120000Z`. */
const utc = (instant: string): string => instant.replace(/[-:]|\.\d+/g, '')

const escaped = (text: string): string => text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|[\r\n]/g, '\\n')

/** A line of more than 75 octets goes on after a line break and a space, and no character is divided. */
function folded(line: string): string {
  let octets = 0
  let written = ''
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > MOST_OCTETS) {
      written += '\r\n '
      octets = 1
    }
    written += character
    octets += length
  }
  return written
}
