import { expect, test } from 'vitest'
import { orAbort } from './or-abort.ts'

test('a promise settles as it is unless the signal is aborted first', async () => {
  const { signal } = new AbortController()
  await expect(orAbort(Promise.resolve(1), signal)).resolves.toBe(1)
  await expect(orAbort(Promise.resolve(1), undefined)).resolves.toBe(1)
  const late = new AbortController()
  const waiting = orAbort(new Promise(() => undefined), late.signal)
  late.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})

test('a promise that fails after the abort causes no unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const work = Promise.reject(new Error('too late'))
    await expect(orAbort(work, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    // Rejections are reported after the microtasks of a turn.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
