import { expect, test } from 'vitest'
import { clientNetworkOf } from './client-network.ts'

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::5]', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['::', '::/64'],
  ['::1', '::/64'],
  ['2001:db8::1:2:3:4', '2001:db8::/64'],
  ['1:0:0:2::', '1:0:0:2::/64'],
  ['1::2%25', '1::/64'],
  ['1:2', '1:2'],
  ['::1/../', '::1/../'],
  ['', ''],
  ['unix:', 'unix:'],
])('AB-60: limits count %j for %j', (address, caller) => {
  expect(clientNetworkOf(address)).toBe(caller)
})
