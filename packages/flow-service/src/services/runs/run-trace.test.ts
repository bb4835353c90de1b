import { createTestRuntime } from '@x/wire'
import { expect, test } from 'vitest'
import type { FlowRun, RunResult } from '@x/flow-engine'
import type { RunTraceRecord } from '../../store/run-traces.ts'
import { RunTrace } from './run-trace.ts'

/** The record of a run that failed with this error. */
async function recordOf(detail: string): Promise<RunTraceRecord | undefined> {
  const records: RunTraceRecord[] = []
  const writer = { trace: (record: RunTraceRecord) => void records.push(record) }
  const trace = new RunTrace(
    { writer, runtime: createTestRuntime() },
    { flowId: 'f', ownerId: 'o' },
  )
  const result = {
    sessionId: 's',
    status: 'failed',
    usage: { inputTokens: 0, outputTokens: 0 },
    error: { detail },
    durationMs: 1,
    vertexUsage: new Map(),
    warnings: [],
  } as unknown as RunResult
  await trace.end({ id: 'r', result: Promise.resolve(result) } as FlowRun)
  return records[0]
}

test('OP-5 a long error is cut between two characters, never within one', async () => {
  const smiles = '🙂'.repeat(600)
  expect((await recordOf(smiles))?.error).toBe('🙂'.repeat(500))
  expect((await recordOf(`a${smiles}`))?.error).toBe(`a${'🙂'.repeat(499)}`)
  expect((await recordOf('🙂'))?.error).toBe('🙂')
})
