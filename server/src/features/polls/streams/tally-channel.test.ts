import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import type { Deps } from '../../deps.ts'
import type { PollRow } from '../queries.ts'
import { Snapshot } from '../snapshots/snapshot.ts'
import { TallyChannel, type TallyFrame } from './tally-channel.ts'

const NOW = 1_800_000_000_000

const pollWith = (fields: Partial<PollRow> = {}): Snapshot => {
  const row = {
    key: 1,
    slug: 'tea',
    opens_at: null,
    closes_at: null,
    archived_at: null,
    results_visibility: 'always',
    updated_at: NOW,
    option_a: 0,
    option_b: 0,
    version: 0,
    counted_at: NOW,
    ...fields,
  }
  return new Snapshot({} as Deps, { row: row as PollRow, labels: { tags: [], categories: [] }, revisions: [] })
}

const counted = (votes: number) => ({ option_a: votes, option_b: 0, version: votes, counted_at: NOW + votes })

/** Moved by the tests alone. */
let time = 0
const clock = spyOn(performance, 'now').mockImplementation(() => time)
afterAll(() => clock.mockRestore())

class Hearer {
  frameId = ''
  sentAt = Number.NEGATIVE_INFINITY
  heard: number[] = []

  send(frame: TallyFrame): void {
    this.frameId = frame.id
    this.sentAt = time
    this.heard.push(totalOf(frame))
  }

  end(): void {}
}

const totalOf = ({ text }: TallyFrame): number => Number(/"total":(\d+)/.exec(text)?.[1])

describe('a poll that is listened to', () => {
  let channel: TallyChannel
  let poll: Snapshot
  beforeEach(() => show())

  function show(fields?: Partial<PollRow>): void {
    poll = pollWith(fields)
    channel ??= new TallyChannel(1, poll)
    channel.poll = poll
  }
  afterEach(() => {
    channel = new TallyChannel(1, pollWith())
  })

  const sendAll = () => [...channel.sendAll(() => NOW)].length

  test('has one frame for all listeners until something changes', () => {
    show({ closes_at: NOW + 1_000 })
    const frame = channel.frame(NOW)
    expect(channel.frame(NOW + 999)).toBe(frame)
    const closed = channel.frame(NOW + 1_000)
    expect(closed.id).not.toBe(frame.id)
    expect(channel.frame(NOW).id).toBe(frame.id)
    poll.count(counted(1))
    expect(channel.frame(NOW).id).not.toBe(frame.id)
  })

  test('is due when it has changed and the pause since its last frame is over', () => {
    show({ closes_at: NOW + 1_000 })
    const hearer = new Hearer()
    channel.listeners.add(hearer)
    expect(channel.isDue(NOW)).toBe(true)
    expect(sendAll()).toBe(1)
    expect(channel.isDue(NOW)).toBe(false)
    poll.count(counted(1))
    time += 599
    expect(channel.isDue(NOW)).toBe(false)
    time += 1
    expect(channel.isDue(NOW)).toBe(true)
  })

  test('sends each listener only frames that it does not have, and leaves recent listeners for a later round', () => {
    show(counted(1))
    const [fresh, knowing, behind] = [new Hearer(), new Hearer(), new Hearer()]
    fresh.sentAt = time
    knowing.frameId = channel.frame(NOW).id
    for (const hearer of [fresh, knowing, behind]) channel.listeners.add(hearer)
    expect(sendAll()).toBe(1)
    expect([fresh.heard, knowing.heard, behind.heard]).toEqual([[], [], [1]])
    fresh.sentAt -= 10_000
    expect(sendAll()).toBe(1)
    expect(fresh.heard).toEqual([1])
  })

  test('votes during a round reach listeners later in the round, and the others in the next round', () => {
    show(counted(1))
    const hearers = [new Hearer(), new Hearer(), new Hearer()]
    for (const hearer of hearers) channel.listeners.add(hearer)
    const round = channel.sendAll(() => NOW)
    round.next()
    poll.count(counted(2))
    for (const _ of round);
    expect(hearers.map(({ heard }) => heard)).toEqual([[1], [2], [2]])
    for (const hearer of hearers) hearer.sentAt -= 10_000
    expect(sendAll()).toBe(1)
    expect(hearers.map(({ heard }) => heard)).toEqual([[1, 2], [2], [2]])
  })

  test('listeners that leave or join during a round do not disturb it', () => {
    show(counted(1))
    const hearers = Array.from({ length: 6 }, () => new Hearer())
    for (const hearer of hearers) channel.listeners.add(hearer)
    const round = channel.sendAll(() => NOW)
    round.next()
    for (const hearer of hearers.slice(2, 4)) channel.listeners.delete(hearer)
    const late = new Hearer()
    late.sentAt = time
    channel.listeners.add(late)
    for (const _ of round);
    expect([...hearers, late].map(({ heard }) => heard.length)).toEqual([1, 1, 0, 0, 1, 1, 0])
  })

  test('votes on a poll with hidden results change neither its frame nor its timing', () => {
    show({ results_visibility: 'never' })
    const hearer = new Hearer()
    channel.listeners.add(hearer)
    sendAll()
    const { id, text } = channel.frame(NOW)
    hearer.sentAt -= 10_000
    // Longer than the gap between two events.
    time += 650
    for (let votes = 1; votes <= 3; votes++) {
      poll.count(counted(votes))
      expect(sendAll()).toBe(0)
      expect(channel.frame(NOW)).toMatchObject({ id, text })
    }
    show({ results_visibility: 'never', updated_at: NOW + 1 })
    expect(channel.isDue(NOW)).toBe(true)
    expect(sendAll()).toBe(1)
    show({ results_visibility: 'never', updated_at: NOW + 2 })
    expect(channel.isDue(NOW)).toBe(false)
    expect(hearer.heard).toEqual([0, 0])
  })
})
