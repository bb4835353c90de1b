import { describe, expect, test } from 'vitest'
import { createScryptHasher } from './scrypt-hasher.ts'

const hasher = createScryptHasher({ cost: 16 })

describe('createScryptHasher', () => {
  test('verifies only the password it hashed, including NUL and long passwords', async () => {
    for (const password of ['pass', 'a\0b', 'ü'.repeat(4096)]) {
      const hash = await hasher.hash(password)
      expect(hash).toMatch(/^scrypt\$16\$8\$1\$[^$]+\$[^$]+$/)
      expect(await hasher.verify(password, hash)).toBe(true)
      expect(await hasher.verify(`${password}x`, hash)).toBe(false)
    }
  })

  test('passwords that differ after byte 72 are different', async () => {
    const hash = await hasher.hash(`${'x'.repeat(80)}a`)
    expect(await hasher.verify(`${'x'.repeat(80)}b`, hash)).toBe(false)
  })

  test('hashes with other cost parameters verify and need a rehash', async () => {
    const hash = await createScryptHasher({ cost: 32 }).hash('pass')
    expect(await hasher.verify('pass', hash)).toBe(true)
    expect(hasher.needsRenewal?.(hash)).toBe(true)
    expect(hasher.needsRenewal?.(await hasher.hash('pass'))).toBe(false)
  })

  test('AB-61 beyond the limits of running and waiting hashes calls are refused, and later ones are served', async () => {
    const few = createScryptHasher({ cost: 16, concurrency: 2, waiting: 3 })
    const all = await Promise.allSettled(Array.from({ length: 9 }, () => few.hash('pass')))
    expect(all.map(({ status }) => status).filter((status) => status === 'fulfilled')).toHaveLength(
      5,
    )
    const refused = all.find((one) => one.status === 'rejected')
    expect(refused?.reason).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    expect(await few.hash('pass')).toMatch(/^scrypt/)
  })

  test('an invalid hash verifies no password', async () => {
    const tooDear = `scrypt$2097152$8$1$AAAA$${'A'.repeat(43)}=`
    for (const stored of ['', 'scrypt$16$8$1$x', '$2b$12$abc', tooDear]) {
      expect(await hasher.verify('pass', stored)).toBe(false)
    }
  })
})
