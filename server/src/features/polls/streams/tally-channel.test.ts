import { beforeEach, describe, expect, test } from 'bun:test'
import type { TallyRow } from '../queries.ts'
import { TallyChannel, type TallyFrame } from './tally-channel.ts'

const NOW = 1_800_000_000_000

const row = (fields: Partial<TallyRow> = {}): TallyRow => ({
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
})

const counted = (votes: number) => ({ option_a: votes, option_b: 0, version: votes, counted_at: NOW + votes })

class Hearer {
  frameId = ''
  sentAt = Number.NEGATIVE_INFINITY
  heard: number[] = []

  send(frame: TallyFrame): void {
    this.frameId = frame.id
    this.sentAt = performance.now()
    this.heard.push(totalOf(frame))
  }

  end(): void {}
}

const totalOf = ({ text }: TallyFrame): number => Number(/"total":(\d+)/.exec(text)?.[1])

describe('a poll that is listened to', () => {
  let channel: TallyChannel
  beforeEach(() => {
    channel = new TallyChannel(1)
  })

  const total = () => totalOf(channel.frame(NOW))
  const sendAll = () => [...channel.sendAll(() => NOW)].length

  test('shows the newest counts when they arrive in another order', () => {
    channel.count(counted(3))
    channel.show(row(counted(2)), 1)
    expect(total()).toBe(3)
    channel.count(counted(2))
    expect(total()).toBe(3)
    channel.show(row(counted(5)), 2)
    expect(total()).toBe(5)
    channel.show(row({ ...counted(4), slug: 'coffee' }), 3)
    expect(total()).toBe(5)
    expect(channel.frame(NOW).text).toContain('"slug":"coffee"')
  })

  test('ignores a read that was overtaken by a later one', () => {
    channel.show(row({ closes_at: NOW - 1 }), 2)
    channel.show(row({ version: 9 }), 1)
    expect(channel.frame(NOW).text).toContain('"status":"closed"')
  })

  test('has one frame for all listeners until something changes', () => {
    channel.show(row({ closes_at: NOW + 1_000 }), 1)
    const frame = channel.frame(NOW)
    expect(channel.frame(NOW + 999)).toBe(frame)
    const closed = channel.frame(NOW + 1_000)
    expect(closed.id).not.toBe(frame.id)
    expect(channel.frame(NOW).id).toBe(frame.id)
    channel.count(counted(1))
    expect(channel.frame(NOW).id).not.toBe(frame.id)
  })

  test('is due when it has changed and the pause since its last frame is over', () => {
    channel.show(row({ closes_at: NOW + 1_000 }), 1)
    const hearer = new Hearer()
    channel.listeners.add(hearer)
    expect(channel.isDue(NOW)).toBe(true)
    expect(sendAll()).toBe(1)
    expect(channel.isDue(NOW)).toBe(false)
    channel.count(counted(1))
    expect(channel.isDue(NOW)).toBe(false)
  })

  test('sends each listener only frames that it does not have, and leaves recent listeners for a later round', () => {
    channel.show(row(counted(1)), 1)
    const [fresh, knowing, behind] = [new Hearer(), new Hearer(), new Hearer()]
    fresh.sentAt = performance.now()
    knowing.frameId = channel.frame(NOW).id
    for (const hearer of [fresh, knowing, behind]) channel.listeners.add(hearer)
    expect(sendAll()).toBe(1)
    expect([fresh.heard, knowing.heard, behind.heard]).toEqual([[], [], [1]])
    fresh.sentAt -= 10_000
    expect(sendAll()).toBe(1)
    expect(fresh.heard).toEqual([1])
  })

  test('votes during a round reach listeners later in the round, and the others in the next round', () => {
    channel.show(row(counted(1)), 1)
    const hearers = [new Hearer(), new Hearer(), new Hearer()]
    for (const hearer of hearers) channel.listeners.add(hearer)
    const round = channel.sendAll(() => NOW)
    round.next()
    channel.count(counted(2))
    for (const _ of round);
    expect(hearers.map(({ heard }) => heard)).toEqual([[1], [2], [2]])
    for (const hearer of hearers) hearer.sentAt -= 10_000
    expect(sendAll()).toBe(1)
    expect(hearers.map(({ heard }) => heard)).toEqual([[1, 2], [2], [2]])
  })

  test('listeners that leave or join during a round do not disturb it', () => {
    channel.show(row(counted(1)), 1)
    const hearers = Array.from({ length: 6 }, () => new Hearer())
    for (const hearer of hearers) channel.listeners.add(hearer)
    const round = channel.sendAll(() => NOW)
    round.next()
    for (const hearer of hearers.slice(2, 4)) channel.listeners.delete(hearer)
    const late = new Hearer()
    late.sentAt = performance.now()
    channel.listeners.add(late)
    for (const _ of round);
    expect([...hearers, late].map(({ heard }) => heard.length)).toEqual([1, 1, 0, 0, 1, 1, 0])
  })

  test('votes on a poll with hidden results change neither its frame nor its timing', async () => {
    channel.show(row({ results_visibility: 'never' }), 1)
    const hearer = new Hearer()
    channel.listeners.add(hearer)
    sendAll()
    const { id, text } = channel.frame(NOW)
    hearer.sentAt -= 10_000
    // Real time: how long a listener may be behind is the subject.
    await Bun.sleep(650)
    for (let votes = 1; votes <= 3; votes++) {
      channel.count(counted(votes))
      expect(sendAll()).toBe(0)
      expect(channel.frame(NOW)).toMatchObject({ id, text })
    }
    channel.show(row({ results_visibility: 'never', updated_at: NOW + 1 }), 2)
    expect(channel.isDue(NOW)).toBe(true)
    expect(sendAll()).toBe(1)
    channel.show(row({ results_visibility: 'never', updated_at: NOW + 2 }), 3)
    expect(channel.isDue(NOW)).toBe(false)
    expect(hearer.heard).toEqual([0, 0])
  })
})
