import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { Moments } from './caller-table.ts'

const step = fc.record({ after: fc.nat(3), forgetsAfter: fc.option(fc.nat(40)), removes: fc.option(fc.nat(40)) })

test('agrees with a plain list of times after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const moments = new Moments()
      let plain: number[] = []
      let now = 0
      for (const { after, forgetsAfter, removes } of steps) {
        now += after
        moments.add(now)
        plain.push(now)
        if (removes !== null) {
          moments.remove(now - removes)
          const at = plain.lastIndexOf(now - removes)
          if (at >= 0) plain.splice(at, 1)
        }
        if (forgetsAfter !== null) {
          moments.forgetBefore(now - forgetsAfter)
          plain = plain.filter((time) => time >= now - forgetsAfter)
        }
        expect([moments.length, moments.oldest]).toEqual([plain.length, plain[0]])
      }
    }),
  )
})
