import { describe, expect, test } from 'bun:test'
import { plainTheme } from '../../test/samples.ts'
import { renderOptionsOf, themeWith } from './looks.ts'

describe('the look of a poll', () => {
  test('is read from its attributes', () => {
    expect(renderOptionsOf({})).toEqual({ scheme: 'auto', hideTitle: false, hideBrand: false, lang: 'en' })
    expect(renderOptionsOf({ theme: 'dark', hideTitle: '', hideBrand: 'true', lang: 'ar' })).toEqual({
      scheme: 'dark',
      hideTitle: true,
      hideBrand: true,
      lang: 'ar',
    })
  })

  test('and unknown values are ignored', () => {
    expect(renderOptionsOf({ theme: 'neon', hideTitle: 'false', hideBrand: '0', lang: '' })).toEqual(
      renderOptionsOf({}),
    )
    expect(themeWith(plainTheme, { accent: 'C0FFEE' }).accent).toBe('#c0ffee')
    expect(themeWith(plainTheme, { accent: '#c0ffee' }).accent).toBe('#c0ffee')
    for (const accent of ['red', 'fff', 'c0ffee;', 'c0ffee}', '', null]) {
      expect(themeWith(plainTheme, { accent })).toBe(plainTheme)
    }
  })
})
