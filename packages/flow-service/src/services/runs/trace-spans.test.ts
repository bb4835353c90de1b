import { expect, test } from 'vitest'
import type { StoredEvent } from '@x/flow-engine/store'
import { readLoggedRun } from './trace-spans.ts'

const job = { id: 'job', state: 'succeeded' } as const

/** A log of so many tokens, which notes how many events each read asks for. */
function logOf(count: number) {
  const asked: number[] = []
  const read = async (_id: string, after: number, limit: number): Promise<StoredEvent[]> => {
    asked.push(limit)
    const left = Math.min(limit, count - after - 1)
    return Array.from({ length: left }, (_, n) => ({
      seq: after + 1 + n,
      event: 'token',
      data: '',
    }))
  }
  return { asked, read }
}

test('OP-5: a log is read to its end in small batches, since one event can be large', async () => {
  const log = logOf(95)
  const run = await readLoggedRun(log, job, new AbortController().signal)
  expect([run.isCut, run.spans]).toEqual([false, []])
  expect(log.asked).toEqual([20, 20, 20, 20, 20])
})

test('OP-5: 50,000 events of a longer log are read, and the trace is marked as truncated', async () => {
  const log = logOf(60_000)
  const run = await readLoggedRun(log, job, new AbortController().signal)
  expect([run.isCut, log.asked.length]).toEqual([true, 2500])
})

test('OP-5: a caller that leaves ends the reading', async () => {
  const log = logOf(95)
  await expect(readLoggedRun(log, job, AbortSignal.abort(new Error('left')))).rejects.toThrow(
    'left',
  )
  expect(log.asked).toEqual([])
})
