import { hashSync } from 'bcryptjs'
import { createScryptHasher } from '@x/flow-engine/node'
import { expect, test } from 'vitest'
import { acceptBcrypt } from '../src/moved-passwords.ts'

const scrypt = createScryptHasher({ cost: 16 })
const hasher = acceptBcrypt(scrypt)

test('a bcrypt hash of another service verifies its password and needs renewal', async () => {
  const hash = hashSync('sesame', 4)
  expect(await hasher.verify('sesame', hash)).toBe(true)
  expect(await hasher.verify('sesam', hash)).toBe(false)
  expect(hasher.needsRenewal?.(hash)).toBe(true)
})

test('scrypt hashes still verify and need no renewal', async () => {
  const hash = await hasher.hash('sesame')
  expect(await scrypt.verify('sesame', hash)).toBe(true)
  expect(await hasher.verify('sesame', hash)).toBe(true)
  expect(hasher.needsRenewal?.(hash)).toBe(false)
})

test('a bcrypt hash with an excessive cost is never verified', async () => {
  expect(await hasher.verify('sesame', `$2b$31$${'a'.repeat(53)}`)).toBe(false)
})

test('AB-61 sign-ins are refused immediately when the queue is full', async () => {
  const few = acceptBcrypt(scrypt, { waiting: 2 })
  const hash = hashSync('sesame', 4)
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => few.verify('sesame', hash)))
  const refused = all.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited' } })
})
