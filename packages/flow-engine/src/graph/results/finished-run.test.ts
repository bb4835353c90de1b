import { describe, expect, test } from 'vitest'
import { defineComponent } from '../../components/define/define.ts'
import { field } from '../../components/define/field.ts'
import { output } from '../../components/define/output.ts'
import { flowBuilder } from '../../testing/flow-builder.ts'
import { createRegistry } from '../../components/registry/registry.ts'
import { formatRunResponse } from './format-response.ts'
import { runFlow } from '../run/run-flow.ts'
import type { RunResult } from '../context/run-options.ts'

const talker = defineComponent({
  type: 'ChatOutput',
  inputs: { key: field.secret({}), fails: field.bool({}) },
  outputs: {
    out: output.message({
      run({ key, fails }) {
        if (fails) throw new TypeError('no')
        return `key ${key ?? ''}`
      },
    }),
  },
})

const variables = { KEY: 'secret-value' }

/** The key is the name of a variable. */
function start(values: { key?: string; fails?: boolean } = {}) {
  const flow = flowBuilder()
  flow.add(talker, { id: 'ChatOutput-1', values })
  const components = createRegistry([talker])
  return runFlow(flow.toJSON(), { components, input: 'hello', sessionId: 's', variables })
}

describe('FinishedRun', () => {
  test('FE-18: a result is a plain record that has an error only after a failure', async () => {
    const result = await start().result
    expect({ ...result }).toEqual({
      status: 'succeeded',
      sessionId: 's',
      flowId: expect.any(String) as string,
      outputs: [result.vertices.get('ChatOutput-1')],
      vertices: result.vertices,
      stalled: [],
      warnings: [],
      messages: [],
      usage: { inputTokens: 0, outputTokens: 0 },
      vertexUsage: new Map(),
      durationMs: expect.any(Number) as number,
      spent: {
        modelCalls: 0,
        inputTokens: 0,
        outputTokens: 0,
        tokens: 0,
        seconds: expect.any(Number) as number,
      },
      text: expect.any(Function) as RunResult['text'],
      output: expect.any(Function) as RunResult['output'],
    })
    expect(result).not.toHaveProperty('error')
    const failed = await start({ fails: true }).result
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'component_failed' } })
    expect(failed.vertices.get('ChatOutput-1')).toMatchObject({ valid: false })
    expect(result.vertices.get('ChatOutput-1')).not.toHaveProperty('error')
  })

  test('a copy of a result has its text too', async () => {
    const copy = { ...(await start({ key: 'KEY' }).result) }
    expect(copy.text()).toBe('key secret-value')
  })

  test('FE-65: its answer contains the input and hides secrets; a copy of the result does neither', async () => {
    const result = await start({ key: 'KEY' }).result
    const answer = formatRunResponse(result)
    expect(answer.outputs[0]?.inputs).toEqual({ input_value: 'hello' })
    expect(JSON.stringify(answer)).toContain('key *****')
    expect(JSON.stringify(answer)).not.toContain('secret-value')
    expect(formatRunResponse({ ...result }).outputs[0]?.inputs).toEqual({})
  })

  test('the handle of a run has no own getters, which would outlive the run', async () => {
    const run = start()
    expect(
      Object.values(Object.getOwnPropertyDescriptors(run)).every((own) => 'value' in own),
    ).toBe(true)
    expect(run.id).toBe(run.id)
    await run.result
  })
})
