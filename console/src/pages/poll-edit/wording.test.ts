import { expect, test } from 'bun:test'
import { isMoreThanSpelling } from './wording.ts'

const SPELLING = [
  ['Tea or coffee?', 'Tea or coffee?'],
  ['tea or coffee', 'Tea or coffee?'],
  ['Tea, or coffee', 'Tea or coffee!'],
  ['Ice cream or cake?', 'Icecream or cake?'],
  ['  Tea  ', 'Tea'],
  ['Tea or coffe?', 'Tea or coffee?'],
  ['Should we recieve guests?', 'Should we receive guests?'],
  ['Accomodation or restarant?', 'Accommodation or restaurant?'],
  ['Dont stop?', 'Don’t stop?'],
  ['Donaudampfschifahrt', 'Donaudampfschifffahrt'],
  ['Чай чи каваа?', 'Чай чи кавва?'],
  ['القهوه أم الشاي؟', 'القهوة أم الشاي؟'],
  ['चाय या कॉफ़ी?', 'चाय या कॉफ़ी'],
  ['紅茶、それとも珈琲？', '紅茶それとも珈琲'],
  ['ﬁnal', 'final'],
  ['Yes.', 'YES'],
  ['', ''],
] as const

const MORE = [
  ['Tea or coffee?', 'Tea or water?'],
  ['Cats', 'Cars'],
  ['Tea', 'Tee'],
  ['Should we ban cars?', 'Should we ban cats?'],
  ['Can we?', 'Can’t we?'],
  ['Should we?', 'Should we not?'],
  ['Is it possible?', 'Is it impossible?'],
  ['Is it moral?', 'Is it amoral?'],
  ['Are you happy?', 'Are you unhappy?'],
  ['Tea or coffee?', 'Coffee or tea?'],
  ['Coffe, chocolat or limonad', 'Coffee, chocolate or limonade'],
  ['The best film of 2024?', 'The best film of 2025?'],
  ['5', '-5'],
  ['1.5 hours', '15 hours'],
  ['10 €', '10 $'],
  ['50%', '50'],
  ['👍', '👎'],
  ['C', 'C#'],
  ['红茶还是绿茶？', '红茶还是花茶？'],
  ['する', 'した'],
  ['차 마실래요', '차 마셨어요'],
  ['Yes', ''],
] as const

test.each(SPELLING)('from “%s” to “%s” is spelling, both ways', (one, other) => {
  expect([isMoreThanSpelling(one, other), isMoreThanSpelling(other, one)]).toEqual([false, false])
})

test.each(MORE)('from “%s” to “%s” is more, both ways', (one, other) => {
  expect([isMoreThanSpelling(one, other), isMoreThanSpelling(other, one)]).toEqual([true, true])
})

test('the longest texts take milliseconds', () => {
  const text = 'a'.repeat(200)
  // The fastest of some: others may take the processor in between.
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now()
    expect(isMoreThanSpelling(text, `${text.slice(1)}b`)).toBe(false)
    return performance.now() - started
  })
  expect(Math.min(...times)).toBeLessThan(100)
})
