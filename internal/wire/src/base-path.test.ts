import { expect, test } from 'vitest'
import { pathBelow } from './base-path.ts'

test.each([
  ['/scim/Users', '/Users'],
  ['/scim', ''],
  ['/scim/', '/'],
  ['/scimitar/Users', undefined],
  ['/scim.v2', undefined],
  ['/Users', undefined],
  ['/SCIM/Users', undefined],
])('the part of %s below /scim is %s', (path, below) => {
  expect(pathBelow(path, '/scim')).toBe(below)
})
