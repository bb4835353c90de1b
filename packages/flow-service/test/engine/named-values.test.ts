import { afterEach, describe, expect, test } from 'vitest'
import {
  createMessage,
  createRegistry,
  defineComponent,
  field,
  output,
  toText,
  runFlow,
  type RunOptions,
} from '@x/flow-engine'
import { createBuildJobs } from '@x/flow-engine'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createSecretBox } from '../../src/services/crypto/secret-box.ts'
import { createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { closeAll } from '../../../flow-engine/test/jobs/asking.ts'

afterEach(closeAll)

const pair = defineComponent({
  type: 'Pair',
  inputs: {
    text: field.message({ required: true }),
    times: field.int({ default: 1 }),
    key: field.secret({ loadFromDb: false }),
  },
  outputs: {
    one: output.message({
      run: ({ text, times }) => toText(text).repeat(times ?? 1),
    }),
    two: output.data({ run: ({ key }) => ({ length: (key ?? '').length }) }),
  },
})
const components = createRegistry([pair])

function flowOf(count = 1) {
  const flow = flowBuilder()
  const ids = Array.from({ length: count }, (_, n) =>
    flow.add(pair, { id: `Pair-${n + 1}`, displayName: count > 2 ? 'Pair' : `Pair ${n + 1}` }),
  )
  if (count === 2) flow.connect(`${ids[0]}.one`, `${ids[1]}.text`)
  return flow.toJSON()
}

const run = (options: RunOptions, count = 1) =>
  runFlow(flowOf(count), { components, outputType: 'debug', mode: 'build', ...options }).result

describe('named inputs', () => {
  test('DR-76: values are assigned to fields by id or display name, override tweaks, and apply to one run only', async () => {
    const byId = await run({
      inputs: { 'Pair-1': { text: createMessage('ab'), times: 2 } },
      tweaks: { 'Pair-1': { times: 7 } },
    })
    expect(byId.text('Pair-1')).toBe('abab')
    const byName = await run({ inputs: { 'Pair 1': { text: 'x', times: '3' } } })
    expect(byName.text('Pair-1')).toBe('xxx')
    expect((await run({})).status).toBe('failed')
  })

  test('DR-76: unknown, ambiguous and connected fields are errors that name them', async () => {
    const cases = [
      [{ Nobody: {} }, 1, 'there is no vertex Nobody'],
      [{ 'Pair-1': { size: 1 } }, 1, 'Pair 1 has no field size'],
      [{ 'Pair-1': { code: 'x' } }, 1, 'code'],
      [{ 'Pair-2': { text: 'x' } }, 2, 'fed by an edge'],
      [{ Pair: { text: 'x' } }, 3, 'Pair-1, Pair-2, Pair-3'],
      [{ 'Pair-1': {}, 'Pair 1': {} }, 1, 'twice'],
    ] as const
    for (const [inputs, count, text] of cases)
      await expect(run({ inputs }, count)).rejects.toMatchObject({
        code: 'invalid_request',
        detail: expect.stringContaining(text),
      })
  })

  test('DR-76: they are stored with a job, encrypted, and restored as messages', async () => {
    const runtime = createTestRuntime()
    const secrets = createSecretBox(
      new TextEncoder().encode('a secret key of tests, long enough'),
      runtime,
    )
    const store = createMemoryJobStore()
    const first = createBuildJobs({ components, store, secrets, concurrency: 0 })
    const inputs = { 'Pair-1': { text: createMessage('from the job'), key: 'sk-of-the-job' } }
    const { id } = await first.start({
      flow: flowOf(),
      inputs,
      resumable: true,
      outputType: 'debug',
    })
    expect((await store.queue.get(id))?.request).not.toMatch(/sk-of-the-job|from the job/)
    await first.close({ timeoutMs: 0 })
    const second = createBuildJobs({ components, store, secrets })
    await second.recover()
    const result = await second.result(id)
    expect(result.text('Pair-1')).toBe('from the job')
    expect(result.output('Pair-1', 'two')).toMatchObject({ data: { length: 13 } })
    await second.close({ timeoutMs: 0 })
  })
})

describe('named outputs', () => {
  test('DR-77: an output is found by id or display name; without a name the only one is returned', async () => {
    const result = await run({ inputs: { 'Pair-1': { text: 'a' } } })
    expect(result.output('Pair 1', 'one')).toMatchObject({ text: 'a' })
    expect(result.output('Pair-1', 'none')).toBeUndefined()
    expect(result.output('Nobody')).toBeUndefined()
    expect(() => result.output('Pair-1')).toThrow('one, two')
  })

  test('DR-77: large values of requested vertices are not truncated', async () => {
    const inputs = { 'Pair-1': { text: 'x'.repeat(5000) } }
    const run2 = (keep?: RunOptions['keep']) =>
      runFlow(flowOf(2), {
        components,
        mode: 'build',
        outputComponent: 'Pair-2',
        inputs,
        ...(keep === undefined ? {} : { keep }),
      }).result
    expect((await run2()).output('Pair-1', 'one')).toBeUndefined()
    expect((await run2(['Pair 1'])).output('Pair-1', 'one')).toMatchObject({
      text: 'x'.repeat(5000),
    })
  })
})
