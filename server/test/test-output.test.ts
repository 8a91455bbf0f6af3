import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'

const { firstAndLast } = (await import(join(import.meta.dir, '../../scripts/test-output.mjs'))) as {
  firstAndLast(lines: readonly string[]): string[]
}

const numbered = (count: number, name: string) => Array.from({ length: count }, (_, i) => `${name} ${i}`)

describe('the shown output of a failed file', () => {
  test('shows the first failure with its code, and the end', () => {
    const output = [...numbered(30, 'log'), 'error: the cause', ...numbered(200, 'after'), 'TypeError: a consequence']
    const shown = firstAndLast(output)
    expect(shown[0]).toBe('log 20')
    expect(shown).toContain('error: the cause')
    expect(shown[40]).toBe('… 112 lines …')
    expect(shown.slice(41)).toEqual(output.slice(-60))
  })

  test.each([
    ['short', [...numbered(5, 'log'), 'error: the cause', ...numbered(20, 'after')]],
    ['of a failure near the end', [...numbered(200, 'log'), 'error: the cause', ...numbered(20, 'after')]],
    ['without an error', numbered(200, 'log')],
  ])('%s shows each line once', (_, output) => {
    expect(firstAndLast(output)).toEqual(output.slice(-60))
  })

  test('whose first failure reaches to the end repeats no line', () => {
    const output = [...numbered(30, 'log'), 'Error: the cause', ...numbered(80, 'after')]
    expect(firstAndLast(output)).toEqual(output.slice(20))
  })
})
