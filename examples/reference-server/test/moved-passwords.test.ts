import { hashSync } from 'bcryptjs'
import { createScryptHasher } from '@x/flow-service/node'
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

test('AB-62 while bcrypt hashes are stored, every wrong password costs one hash of each kind', async () => {
  const spent: string[] = []
  const counting = {
    ...scrypt,
    hash: (password: string) => scrypt.hash(password),
    async verify(password: string, hash: string) {
      spent.push('scrypt')
      return await scrypt.verify(password, hash)
    },
  }
  const timed = acceptBcrypt(counting, { cost: 10 })
  const cpu = async (hash: string): Promise<number> => {
    const before = process.cpuUsage()
    expect(await timed.verify('wrong', hash)).toBe(false)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
  const own = await scrypt.hash('sesame')
  const moved = hashSync('sesame', 10)
  await cpu(moved)
  spent.length = 0
  const [ofOwn, ofMoved, ofCostly] = [
    await cpu(own),
    await cpu(moved),
    await cpu(`$2b$31$${'a'.repeat(53)}`),
  ]
  expect(spent).toEqual(['scrypt', 'scrypt', 'scrypt'])
  for (const one of [ofOwn, ofCostly])
    expect(Math.max(one, ofMoved) / Math.min(one, ofMoved)).toBeLessThan(5)
  expect(await timed.verify('sesame', own)).toBe(true)
  expect(await timed.verify('sesame', moved)).toBe(true)
})

test('AB-61 sign-ins are refused immediately when the queue is full', async () => {
  const few = acceptBcrypt(scrypt, { waiting: 2 })
  const hash = hashSync('sesame', 4)
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => few.verify('sesame', hash)))
  const refused = all.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(3)
  expect(refused[0]).toMatchObject({ reason: { code: 'rate_limited' } })
})
