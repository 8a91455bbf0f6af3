import { expect, test } from 'bun:test'
import { emailField, emailKey, isEmail } from './email.ts'

test('two spellings of one address are equal', () => {
  for (const [left, right] of [
    ['Ada@Example.com', 'ada@EXAMPLE.COM'],
    ['ÉLISE@example.com', 'élise@example.com'],
    ['e\u0301lise@example.com', 'élise@example.com'],
    ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
    ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
    ['ИРА@example.com', 'ира@example.com'],
  ] as const) {
    expect(`${left} ${emailKey(left) === emailKey(right)}`).toBe(`${left} true`)
  }
})

test('letters that only look alike are different addresses', () => {
  for (const [left, right] of [
    ['\u212Aate@example.com', 'kate@example.com'],
    ['\u0130da@example.com', 'ida@example.com'],
    ['mi\u0131ke@example.com', 'miike@example.com'],
    ['ma\u017F@example.com', 'mas@example.com'],
    ['аda@example.com', 'ada@example.com'],
    ['ada+x@example.com', 'ada@example.com'],
    ['a.da@example.com', 'ada@example.com'],
  ] as const) {
    expect(`${left} ${emailKey(left) === emailKey(right)}`).toBe(`${left} false`)
  }
})

test('an address has a local part, a domain, and nothing that ends a header', () => {
  for (const email of ['ada@example.com', 'owner@demo.invalid', 'o’hara+x@sub.example.com', '用户@例子.广告']) {
    expect(`${email} ${isEmail(email)}`).toBe(`${email} true`)
  }
  const bad = ['', '@', 'ada', 'ada@', '@example.com', 'ada@localhost', 'a da@example.com', 'ada@exa mple.com']
  const hostile = [
    'ada@example.com\r\nBcc: eve@example.com',
    'ada\u200b@example.com',
    ...['\u034f', '\u115f', '\u17b4', '\u3164', '\ufe0f', '\uffa0', '\u{e0100}'].map(
      (unseen) => `ada${unseen}@example.com`,
    ),
    `${'a'.repeat(243)}@example.com`,
    'a@b@example.com',
    '<ada@example.com>',
  ]
  const domains = [
    'ada@-x.example',
    'ada@example..com',
    'ada@.com',
    'ada@127.0.0.1',
    'ada@[::1]',
    'ada@\u202eexample.com',
  ]
  for (const email of [...bad, ...hostile, ...domains]) expect(`${email} ${isEmail(email)}`).toBe(`${email} false`)
  expect(emailField.safeParse(`${'a'.repeat(243)}@example.com`).success).toBeFalse()
  expect(emailField.safeParse(`${'a'.repeat(242)}@example.com`).success).toBeTrue()
})
