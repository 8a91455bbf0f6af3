import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newPlace, type Place, tossupJson } from '../../../test/command.ts'
import { engines } from '../../../test/engines.ts'
import { readConfig } from '../../config/config.ts'
import { openSnapshot } from './open-snapshot.ts'
import type { Snapshot } from './snapshot.ts'

describe.each([...engines])('%s: rows of a snapshot in parts', (engine) => {
  let place: Place
  let snapshot: Snapshot
  let names: readonly string[]
  const NAMES = 'select name from migrations order by name'
  beforeAll(async () => {
    place = await newPlace(engine)
    await tossupJson(['migrate'], place.settings)
    snapshot = await openSnapshot(readConfig(place.settings))
    names = (await snapshot.select<{ name: string }>(NAMES)).map(({ name }) => name)
  }, 60_000)
  afterAll(async () => {
    await snapshot.close()
    await place.clear()
  }, 60_000)

  const parts = async (query: string, most: number) => {
    const all: string[][] = []
    for await (const rows of snapshot.selectInParts<{ name: string }>(query, most))
      all.push(rows.map(({ name }) => name))
    return all
  }

  test('have at most so many each, and are all of the query in its order', async () => {
    const whole = names.length
    for (const most of [1, 4, whole - 1, whole, whole + 1]) {
      const all = await parts(NAMES, most)
      expect(all.flat()).toEqual([...names])
      expect(all.map(({ length }) => length)).toEqual(
        Array.from({ length: Math.ceil(whole / most) }, (_, i) => Math.min(most, whole - i * most)),
      )
    }
  })

  test('are none for no rows, and leave the snapshot usable', async () => {
    expect(await parts(`${NAMES} limit 0`, 3)).toEqual([])
    expect(await snapshot.select<{ name: string }>(`${NAMES} limit 1`)).toEqual([{ name: names[0] ?? '' }])
  })
})
