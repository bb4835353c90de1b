import { expect, test } from 'vitest'
import { createScim } from '../../test/support.ts'
import { fold, nameKey } from './fold.ts'

test('SH-71 folding keeps every prefix of a word', async () => {
  expect(fold('ΟΔΟΣΑ').startsWith(fold('ΟΔΟΣ'))).toBe(true)
  const scim = createScim({ userName: 'any' })
  await scim.user('ΟΔΟΣΑ')
  expect(await scim.names('userName sw "ΟΔΟΣ"')).toEqual(['ΟΔΟΣΑ'])
  expect(await scim.names('userName sw "οδος"')).toEqual(['ΟΔΟΣΑ'])
})

test('HO-61 nameKey is what user names are found by', () => {
  for (const name of ['Ada@Corp.Example', 'İstanbul', 'ΟΔΟΣ', 'ﬁle'])
    expect(nameKey(name)).toBe(fold(name))
})
