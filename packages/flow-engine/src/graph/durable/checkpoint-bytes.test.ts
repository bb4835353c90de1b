import { expect, test } from 'vitest'
import { decodeValue, encodeValue } from './checkpoint.ts'
import { decodeBase64, encodeBase64 } from '@x/wire'

test('DR-21: bytes of a checkpoint are written as base64; lists of older versions are still read', () => {
  const bytes = Uint8Array.from({ length: 1_000_000 }, (_, at) => at % 256)
  const text = JSON.stringify(encodeValue(bytes))
  expect(text.length).toBeLessThan(1_400_000)
  const back = decodeValue(JSON.parse(text)) as Uint8Array
  expect([back.constructor, back.length]).toEqual([Uint8Array, bytes.length])
  expect(back.every((byte, at) => byte === bytes[at])).toBe(true)
  expect(decodeValue({ $value: 'bytes', bytes: [1, 2, 255] })).toEqual(Uint8Array.of(1, 2, 255))
  expect(decodeBase64(encodeBase64(Uint8Array.of()))).toEqual(Uint8Array.of())
})

test('base64 of every length and byte follows RFC 4648', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
  for (let length = 0; length <= bytes.length; length += 1) {
    const part = bytes.subarray(bytes.length - length)
    expect(encodeBase64(part)).toBe(Buffer.from(part).toString('base64'))
  }
})
