import { describe, expect, test } from 'vitest'
import { createAddressRules } from './address-rules.ts'

describe('createAddressRules', () => {
  const rules = createAddressRules()

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '[::1]',
    'fd00::1',
    'fe80::1%eth0',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::ffff:0:0',
    '::ffff:0.0.0.0',
    '::ffff:0:1',
    '::ffff:0:0:0',
    '64:ff9b::',
    '::5',
    '64:ff9b::a00:1',
    '2002:7f00:1::',
    'not an address',
  ])('section 11: %s is blocked', (address) => {
    expect(rules.allowsAddress(address)).toBe(false)
  })

  test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is allowed',
    (address) => {
      expect(rules.allowsAddress(address)).toBe(true)
    },
  )

  test('names, addresses and ranges can be allowed', () => {
    const some = createAddressRules(['10.0.0.0/8', '127.0.0.1', 'Models.internal', 'fd00::/8'])
    expect(some.allowsAddress('10.9.9.9')).toBe(true)
    expect(some.allowsAddress('::ffff:10.9.9.9')).toBe(true)
    expect(some.allowsAddress('127.0.0.2')).toBe(false)
    expect(some.allowsAddress('fd12::1')).toBe(true)
    expect(some.allowsHost('models.internal.')).toBe(true)
    expect(some.allowsHost('internal')).toBe(false)
  })

  test('an invalid range is named in the error', () => {
    expect(() => createAddressRules(['10.0.0.0/99'])).toThrow('10.0.0.0/99')
  })
})
