import { expect, test } from 'vitest'
import { decodeBase64Url, encodeBase64Url } from './base64.ts'
import { createTestRuntime } from './test-runtime.ts'
import { createTextCipher } from './text-cipher.ts'

const secret = new TextEncoder().encode('a secret of at least 32 characters')
const cipher = (info = 'one') => createTextCipher(secret, { info, runtime: createTestRuntime() })

test('a text opens with its own context only, and only unchanged', async () => {
  const bytes = await cipher().encrypt('\uFEFFünïcode', 'a')
  expect(await cipher().decrypt(bytes, 'a')).toBe('\uFEFFünïcode')
  await expect(cipher().decrypt(bytes, 'b')).rejects.toThrow()
  await expect(cipher('two').decrypt(bytes, 'a')).rejects.toThrow()
  await expect(cipher().decrypt(bytes.slice(0, -1), 'a')).rejects.toThrow()
  await expect(cipher().decrypt(new Uint8Array(3), 'a')).rejects.toThrow()
})

test('HO-52: of several secrets the first one encrypts, and each of them decrypts', async () => {
  const runtime = createTestRuntime()
  const made = (...secrets: string[]) =>
    createTextCipher(
      secrets.map((one) => new TextEncoder().encode(one)),
      { info: 'one', runtime },
    )
  const old = await made('old').encrypt('text', 'a')
  const both = made('new', 'old')
  expect(await both.decrypt(old, 'a')).toBe('text')
  const fresh = await both.encrypt('text', 'a')
  expect(await made('new').decrypt(fresh, 'a')).toBe('text')
  await expect(made('old').decrypt(fresh, 'a')).rejects.toThrow()
  await expect(made('third', 'fourth').decrypt(old, 'a')).rejects.toThrow()
})

test('base64url has no padding and refuses other characters', () => {
  expect(encodeBase64Url(Uint8Array.of(251, 255))).toBe('-_8')
  expect(decodeBase64Url('-_8')).toEqual(Uint8Array.of(251, 255))
  expect([decodeBase64Url('a'), decodeBase64Url('+/8='), decodeBase64Url('')]).toEqual([
    null,
    null,
    new Uint8Array(),
  ])
})
