import { afterEach, expect, test } from 'vitest'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { flowBuilder } from '@x/flow-engine/testing'
import { closeProcesses, processOn } from '../engine/dying.ts'
import { gated } from '../engine/gated.ts'

afterEach(closeProcesses)

test('waiting for a result can be aborted before and during the run; the job continues', async () => {
  const gate = gated()
  const jobs = processOn(createMemoryJobStore(), [gate.component])
  const flow = flowBuilder()
  flow.add(gate.component, { id: 'Gated-1' })
  const { id } = await jobs.start({ flow: flow.toJSON() })
  const left = new Error('left')
  await expect(jobs.result(id, { signal: AbortSignal.abort(left) })).rejects.toThrow('left')
  const leave = new AbortController()
  const waiting = jobs.result(id, { signal: leave.signal })
  leave.abort(left)
  await expect(waiting).rejects.toThrow('left')
  await gate.begun(1)
  const [name = ''] = gate.started
  gate.open(name)
  const { vertices } = await jobs.result(id, { signal: new AbortController().signal })
  expect([...vertices.keys()]).toEqual(['Gated-1'])
  expect((await jobs.get(id))?.state).toBe('succeeded')
})
