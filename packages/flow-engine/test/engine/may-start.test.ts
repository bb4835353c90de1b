import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRegistry } from '@x/flow-engine'
import { startRun } from '../../src/graph/run/run.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { gated } from './gated.ts'

test('AB-92: a run starts no further vertex once its host revokes the right to start', async () => {
  const gate = gated()
  const flow = flowBuilder()
  const first = flow.add(gate.component, { id: 'Gated-1' })
  const second = flow.add(gate.component, { id: 'Gated-2' })
  flow.connect(`${first}.out`, `${second}.text`)
  const ending = new AbortController()
  let isHeld = true
  const run = startRun(
    flow.toJSON(),
    { components: createRegistry([gate.component]), signal: ending.signal },
    { mayStart: () => isHeld },
  )
  await gate.begun(1)
  isHeld = false
  gate.open('-')
  await delay(30)
  ending.abort()
  const { vertices } = await run.result
  expect(gate.started).toEqual(['-'])
  expect([...vertices.keys()]).toEqual(['Gated-1'])
})
