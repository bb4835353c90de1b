import { createTestRuntime } from '@x/wire'
import type { RunEvent } from '@x/flow-engine'
import { expect, test } from 'vitest'
import { ProgressReport, type Progress } from './progress.ts'

test('DO-96 each of up to 20 vertices within a second is reported, and those beyond with the next', async () => {
  const runtime = createTestRuntime()
  const sent: Progress[] = []
  const send = (progress: Progress): void => void sent.push(progress)
  const report = new ProgressReport({ send, nameOf: (id) => id, runtime })
  const finish = (id: string): void =>
    report.take({ event: 'end_vertex', data: { build_data: { id } } } as RunEvent)
  for (let n = 1; n <= 25; n += 1) finish(`v${n}`)
  expect(sent.map(({ progress }) => progress)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
  await runtime.advance(999)
  finish('v26')
  expect(sent).toHaveLength(20)
  await runtime.advance(1)
  finish('v27')
  expect(sent.at(-1)).toEqual({ progress: 27, total: 27, message: 'v27' })
})
