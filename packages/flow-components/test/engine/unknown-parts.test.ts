import { expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { compileFlow, createRegistry, runFlow } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'

const components = createRegistry(builtinComponents)

/** Input → answer; input → unknown → late answer. */
function mixed() {
  const flow = flowBuilder()
  flow.add('ChatInput', { id: 'ChatInput-a' })
  flow.add('ChatOutput', { id: 'ChatOutput-known' })
  flow.add('Nobody', { id: 'Nobody-a' })
  flow.add('ChatOutput', { id: 'ChatOutput-late' })
  flow.connect('ChatInput-a.message', 'ChatOutput-known.input_value')
  flow.connect('ChatInput-a.message', 'Nobody-a.text')
  flow.connect('Nobody-a.text', 'ChatOutput-late.input_value')
  return flow.toJSON()
}

const UNKNOWN = 'Unknown component types: Nobody (Nobody-a)'

test('NX-9: a part without the unknown node runs without a warning', async () => {
  const run = runFlow(mixed(), { components, input: 'hi', stopComponentId: 'ChatOutput-known' })
  const result = await run.result
  expect([result.status, result.text(), result.warnings]).toEqual(['succeeded', 'hi', []])
})

test.each([
  { stopComponentId: 'ChatOutput-late' },
  { stopComponentId: 'Nobody-a' },
  { startComponentId: 'ChatInput-a' },
  {},
])('NX-9: a part with the unknown node is refused with the name of its type: %j', async (part) => {
  const { result } = runFlow(mixed(), { components, input: 'hi', ...part })
  const text = await result.then(
    ({ error }) => error?.message,
    (error: unknown) => String(error),
  )
  expect(text).toContain(UNKNOWN)
})

test('NX-9: compileFlow checks the whole flow', () => {
  expect(() => compileFlow(mixed(), { components })).toThrow(UNKNOWN)
})
