import { describe, expect, test } from 'bun:test'
import './languages/all-languages.ts'
import { directionOf, LANGS, langOf, votesIn, wordsOf } from './words.ts'

describe('the words of a poll', () => {
  test('are found by the base of a language tag, and are English for an unknown language', () => {
    expect(['pt-BR', 'DE', 'zh-Hant-TW', 'xx', '', null, 'constructor'].map(langOf)).toEqual([
      'pt',
      'de',
      'zh',
      'en',
      'en',
      'en',
      'en',
    ])
  })

  test('are complete in each language, and none is left in English', () => {
    const { votes: _, ...english } = wordsOf('en')
    for (const lang of LANGS.filter((each) => each !== 'en')) {
      const { votes, ...words } = wordsOf(lang)
      expect(Object.keys(words)).toEqual(Object.keys(english))
      for (const [name, text] of Object.entries(words)) {
        expect(text.trim()).not.toBe('')
        expect(`${lang} ${text}`).not.toBe(`${lang} ${english[name as keyof typeof english]}`)
      }
      expect(votes.other).toContain('#')
    }
  })

  test('have each plural form of their language', () => {
    for (const lang of LANGS) {
      const forms = new Intl.PluralRules(lang).resolvedOptions().pluralCategories
      const { votes } = wordsOf(lang)
      // French, Spanish and Portuguese have a form for whole millions, which needs a number of votes in words.
      for (const form of forms.filter((each) => !(each === 'many' && ['fr', 'es', 'pt'].includes(lang)))) {
        expect(`${lang} ${form} ${votes[form] !== undefined}`).toBe(`${lang} ${form} true`)
      }
    }
    expect([1, 3, 12, 21].map((count) => votesIn('uk', count))).toEqual([
      '1 голос',
      '3 голоси',
      '12 голосів',
      '21 голос',
    ])
    expect([1, 2, 5].map((count) => votesIn('ar', count))).toEqual([
      'صوت واحد',
      'صوتان',
      expect.stringContaining('أصوات'),
    ])
    expect(votesIn('de', 12_345)).toBe('12.345 Stimmen')
  })

  test('are written from right to left in Arabic', () => {
    expect(['ar-EG', 'en', 'hi'].map(directionOf)).toEqual(['rtl', 'ltr', 'ltr'])
  })
})
