import { readFile } from 'node:fs/promises'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, runFlow, type FlowJson } from '@x/flow-engine'
import { createScriptedModel } from '@x/flow-engine/testing'
import { expect, test } from 'vitest'

test("the flow returns the model's answer", async () => {
  const flow = JSON.parse(
    await readFile(new URL('../flow.json', import.meta.url), 'utf8'),
  ) as FlowJson
  const model = createScriptedModel(['four'])
  const components = createRegistry(builtinComponents)
  const run = runFlow(flow, { components, input: 'two plus two?', services: { models: model } })
  expect((await run.result).text()).toBe('four')
  expect(JSON.stringify(model.requests[0]?.messages)).toContain('two plus two?')
})
