import { expect, test } from 'bun:test'
import { renderStepper } from './render-stepper.ts'

const view = { title: 'Breakfast', about: 'Two <b>questions</b>', total: 2, lang: 'en' }

test('the description of a campaign is above its first poll, and nowhere else', () => {
  expect(renderStepper({ ...view, at: 0 })).toContain(
    '<p class="steps-about" dir="auto">Two &lt;b&gt;questions&lt;/b&gt;</p>',
  )
  for (const at of [1, 2]) expect(renderStepper({ ...view, at })).not.toContain('steps-about')
  for (const about of [null, undefined, ''])
    expect(renderStepper({ ...view, at: 0, about })).not.toContain('steps-about')
})
