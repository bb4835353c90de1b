import { describe, expect, test } from 'vitest'
import { isEmailAddress } from './email-address.ts'

describe('SC-80 isEmailAddress', () => {
  test.each([
    'a@b.c',
    'Mira.K+tag@corp.example',
    "o'hara@corp.example",
    'root@localhost',
    'root@LOCALHOST',
    'jürgen@müller.example',
    'x@xn--mller-kva.example',
    `${'l'.repeat(64)}@corp.example`,
    `a@${'d'.repeat(251)}.org`,
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
    'a@c_d.e',
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
