import { describe, expect, test } from 'vitest'
import { isEmailAddress } from './email-address.ts'

describe('SC-80 SF-23 isEmailAddress', () => {
  test.each([
    'a@b.c',
    'Mira.K+tag@corp.example',
    "o'hara@corp.example",
    'root@localhost',
    'root@LOCALHOST',
    'jürgen@müller.example',
    'x@xn--mller-kva.example',
    `${'l'.repeat(64)}@corp.example`,
    `a@${'d'.repeat(63)}.${'e'.repeat(63)}.org`,
    'user@sub_domain.corp.example',
    'bob_gmail.com#EXT#@corp.onmicrosoft.com',
    'иван@пример.example',
  ])('is one: %s', (text) => {
    expect(isEmailAddress(text)).toBe(true)
  })

  test.each([
    '',
    'a',
    '@corp.example',
    'a@',
    'a@b',
    'a@@b.c',
    'a@b@c.d',
    'a b@c.d',
    'a\u0000@c.d',
    'a@c.d\n',
    'a@c..d',
    'a@.c.d',
    'a@c.d.',
    'a@-c.d',
    'a@c-.d',
    'a@x_y',
    '.a@corp.example',
    'a.@corp.example',
    'a..b@corp.example',
    'mailto:x@corp.example',
    '<a@corp.example>',
    'a@1.2.3.4',
    '"a b"@corp.example',
    'a@[192.0.2.1]',
    'ivanи@corp.example',
    `${'l'.repeat(65)}@corp.example`,
    `a@${'d'.repeat(252)}.org`,
  ])('is none: %j', (text) => {
    expect(isEmailAddress(text)).toBe(false)
  })

  test('long and hostile strings are refused in linear time', () => {
    for (const text of [`a@${'-'.repeat(300)}`, `a@${'a-'.repeat(150)}`, 'a'.repeat(1_000_000)]) {
      expect(isEmailAddress(text)).toBe(false)
    }
  })
})
