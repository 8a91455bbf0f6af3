import { describe, expect, test } from 'bun:test'
import { plainTheme } from '../../test/samples.ts'
import type { ThemeView } from '../poll-view.ts'
import { renderOptionsOf, schemeOf, sourceOf, themeWith } from './looks.ts'

describe('the look of a poll', () => {
  test('is read from its attributes', () => {
    expect(renderOptionsOf({})).toEqual({ hideTitle: false, hideBrand: false, lang: 'en' })
    expect(renderOptionsOf({ hideTitle: '', hideBrand: 'true', lang: 'ar' })).toEqual({
      hideTitle: true,
      hideBrand: true,
      lang: 'ar',
    })
  })

  test('and unknown values are ignored', () => {
    expect(renderOptionsOf({ hideTitle: 'false', hideBrand: '0', lang: '' })).toEqual(renderOptionsOf({}))
    expect(themeWith(plainTheme, { accent: 'C0FFEE' }).accent).toBe('#c0ffee')
    expect(themeWith(plainTheme, { accent: '#c0ffee' }).accent).toBe('#c0ffee')
    for (const accent of ['red', 'fff', 'c0ffee;', 'c0ffee}', '', null]) {
      expect(themeWith(plainTheme, { accent })).toEqual(plainTheme)
    }
  })

  test('and a malformed source is dropped: a vote that names it would be refused', () => {
    expect(['newsletter', 'a_b-9', 'x'.repeat(40)].map((source) => sourceOf({ source }))).toEqual([
      'newsletter',
      'a_b-9',
      'x'.repeat(40),
    ])
    for (const source of ['', 'Newsletter', 'a b', 'é', 'a\n', 'x'.repeat(41), null]) {
      expect(sourceOf({ source })).toBeUndefined()
    }
  })

  test('has the scheme of its theme, unless its place says another', () => {
    const of = (colorScheme: NonNullable<ThemeView['colorScheme']>, theme?: string) =>
      schemeOf(themeWith({ ...plainTheme, colorScheme }, { theme: theme ?? null }))
    expect(schemeOf(plainTheme)).toBe('auto')
    expect((['AUTO', 'LIGHT', 'DARK', 'HOST'] as const).map((name) => of(name))).toEqual([
      'auto',
      'light',
      'dark',
      'host',
    ])
    expect([of('DARK', 'light'), of('LIGHT', 'auto'), of('HOST', 'dark')]).toEqual(['light', 'auto', 'dark'])
    expect([of('DARK', 'neon'), of('DARK', ''), of('HOST', 'LIGHT')]).toEqual(['dark', 'dark', 'host'])
  })
})
