import { expect, test } from 'vitest'
import { createScim } from '../../test/support.ts'
import { fold } from './fold.ts'

test('SH-71 folding keeps every prefix of a word', async () => {
  expect(fold('ΟΔΟΣΑ').startsWith(fold('ΟΔΟΣ'))).toBe(true)
  const scim = createScim({ userName: 'any' })
  await scim.user('ΟΔΟΣΑ')
  expect(await scim.names('userName sw "ΟΔΟΣ"')).toEqual(['ΟΔΟΣΑ'])
  expect(await scim.names('userName sw "οδος"')).toEqual(['ΟΔΟΣΑ'])
})
