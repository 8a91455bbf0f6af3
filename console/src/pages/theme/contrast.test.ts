import { expect, test } from 'bun:test'
import { contrast } from '../../../../embed/src/theme/colors.ts'
import { contrastWarnings } from './contrast.ts'

const NONE = { accent: null, background: null, foreground: null }

test('colours that can be read are not spoken of', () => {
  expect(contrastWarnings(NONE)).toEqual([])
  expect(contrastWarnings({ accent: '#4f46e5', background: '#ffffff', foreground: '#1d1b20' })).toEqual([])
})

test('a light accent on a light ground stays, and its outline can be seen', () => {
  const [warning] = contrastWarnings({ ...NONE, accent: '#ffdd00' })
  expect(warning).toMatchObject({ name: 'accent_light', needed: 3 })
  expect(warning?.ratio).toBeCloseTo(contrast('#ffdd00', '#ffffff'))
  expect(contrast(warning?.shown ?? '', '#ffffff')).toBeGreaterThanOrEqual(3)
})

test('a dark accent on a dark ground, too', () => {
  const [warning] = contrastWarnings({ ...NONE, accent: '#101a30', background: '#0d1324' })
  expect(warning?.name).toBe('accent_dark')
  expect(contrast(warning?.shown ?? '', '#0d1324')).toBeGreaterThanOrEqual(3)
})

test('a text that cannot be read is shown in another colour', () => {
  const [warning] = contrastWarnings({ ...NONE, background: '#0d1324', foreground: '#223044' })
  expect(warning).toMatchObject({ name: 'foreground', needed: 4.5 })
  expect(contrast(warning?.shown ?? '', '#0d1324')).toBeGreaterThanOrEqual(4.5)
})
