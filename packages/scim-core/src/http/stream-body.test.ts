import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { streamBody } from './stream-body.ts'

test.each([
  ['a part', async () => 'text'],
  ['an error', () => Promise.reject(new Error('The store is gone'))],
])('SH-64 a reader that leaves while %s is awaited only ends the answer', async (_, next) => {
  const ends: string[] = []
  const arrived = new AbortController()
  async function* parts(): AsyncGenerator<string> {
    await once(arrived.signal, 'abort')
    yield await next()
  }
  const stream = streamBody(
    { parts },
    {
      onEnd: () => ends.push('end'),
      onCancel: () => ends.push('cancel'),
      onError: () => ends.push('error'),
    },
  )
  const reader = stream.getReader()
  const reading = reader.read()
  await nextTurn()
  const left = reader.cancel()
  arrived.abort()
  await Promise.all([reading, left])
  await nextTurn()
  expect(ends).toEqual(['cancel'])
})
