import { describe, expect, test } from 'vitest'
import { findPart, type FoundPart } from './multipart.ts'

const encoder = new TextEncoder()

/** The chunks of a body, each of so many bytes. */
async function* cut(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

async function read(body: string | Uint8Array, size = 65_536, boundary = 'x'): Promise<FoundPart> {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  return findPart(cut(bytes, size), {
    contentType: `multipart/form-data; boundary=${boundary}`,
    name: 'file',
    length: bytes.length,
  })
}

const part = (head: string, content: string): string =>
  `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}\r\n`

describe('forms that are parsed while streaming', () => {
  test.each([1, 2, 3, 7, 64, 65_536])('reads a form in chunks of %i bytes', async (size) => {
    const form = new FormData()
    // Ends that look like a boundary, and bytes of all kinds.
    const content = `a\r\n--${'-'.repeat(30)}\r\n\r\r\n-${'\u0000\u{1F680}'.repeat(50)}\r\n`
    form.append('other', 'text')
    form.append('file', new Blob(['the first is passed over']), 'first.txt')
    form.append('file', new Blob([content]), 'na"me\r\n ü.txt')
    const sent = new Response(form)
    const boundary = /boundary=(.+)$/.exec(sent.headers.get('content-type') ?? '')?.[1]
    const bytes = new Uint8Array(await sent.arrayBuffer())
    const found = await read(bytes, size, boundary)
    expect(found?.filename).toBe('na"me\r\n ü.txt')
    expect(new TextDecoder().decode(found?.bytes)).toBe(content)
  })

  test('a text part has no file name, while an empty file name makes a file', async () => {
    const text = await read(`${part('name="file"', 'hi')}--x--`)
    expect([text?.filename, text?.bytes]).toEqual([null, encoder.encode('hi')])
    const empty = await read(`${part('name="file"; filename=""', '')}--x--\r\n`)
    expect([empty?.filename, empty?.bytes.length]).toEqual(['', 0])
    expect(await read(`${part('name="a"', 'hi')}--x--`)).toBeNull()
    expect(await read('--x--')).toBeNull()
  })

  test.each([
    ['nothing', ''],
    ['another boundary', '--y\r\n\r\n--y--'],
    ['a missing end', part('name="file"', 'hi')],
    ['a boundary without a line', '--xa'],
    ['a part without a name', '--x\r\ncontent-type: text/plain\r\n\r\nhi\r\n--x--'],
    ['a part header without an end', `--x\r\n${'a'.repeat(1_000_000)}`],
    ['too many parts', `${part('name="a"', '').repeat(1_001)}--x--`],
  ])('%s is not a valid form', async (_, body) => {
    await expect(read(body)).rejects.toThrow()
  })
})
