import { afterEach, describe, expect, test } from 'vitest'
import {
  compileFlow,
  createNode,
  createRegistry,
  refreshNode,
  runFlow,
  type FlowJson,
  type FlowNode,
} from '@x/flow-engine'
import { builtinComponents } from '@x/flow-components'
import { chatOutput, humanInput, textInput } from '@x/flow-engine/components'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import { planAsksPeople } from '@x/flow-engine/internal'
import { createTestRuntime, flowBuilder } from '@x/flow-engine/testing'
import { closeAll, processOf, state } from '../../../flow-engine/test/jobs/asking.ts'

afterEach(closeAll)

const components = createRegistry(builtinComponents)

/** A question with a chat output behind each of these branches. */
function flowOf(values: Record<string, unknown>, branches: readonly string[]): FlowJson {
  const flow = flowBuilder()
  flow.add(textInput, { id: 'TextInput-1', values: { input_value: 'Send it?' } })
  flow.add(humanInput, { id: 'HumanInput-1', values })
  flow.connect('TextInput-1.text', 'HumanInput-1.prompt')
  for (const branch of branches) {
    flow.add(chatOutput, { id: `ChatOutput-${branch}` })
    flow.connect(`HumanInput-1.branch_${branch}`, `ChatOutput-${branch}.input_value`)
  }
  return flow.toJSON()
}

const built = async (jobs: BuildJobs, id: string): Promise<string[]> =>
  [...(await jobs.result(id)).vertices.keys()].filter((vertex) => vertex.startsWith('Chat'))

describe('HumanInput (DR-39)', () => {
  test('its outputs follow the stored choices: trimmed, in lower case, without duplicates', async () => {
    const decisions = ['  Send Now ', 'send now', '', 'Löschen']
    const flow = flowOf({ decisions }, ['send_now', 'löschen'])
    const jobs = createBuildJobs({ components })
    const { id } = await jobs.start({ flow, resumable: true })
    await state(jobs, id, 'suspended')
    const question = (await jobs.get(id))?.question
    expect(question?.options).toEqual([
      { actionId: 'send_now', label: 'Send Now' },
      { actionId: 'löschen', label: 'Löschen' },
    ])
    expect(question?.prompt).toBe('Send it?')
    await expect(jobs.resume(id, { action_id: 'approve' })).rejects.toMatchObject({
      code: 'invalid_answer',
    })
    await jobs.resume(id, { action_id: 'löschen' })
    expect(await built(jobs, id)).toEqual(['ChatOutput-löschen'])
    expect((await jobs.result(id)).text('ChatOutput-löschen')).toBe('Send it?')
    await jobs.close()
  })

  test('DR-38: with a fallback and a timeout it continues by itself', async () => {
    const runtime = createTestRuntime()
    const values = { enable_fallback: true, timeout: { unit: 'Hours', value: 2 } }
    const jobs = processOf([], { runtime, components })
    const flow = flowOf(values, ['approve', 'fallback'])
    // The editor shows the time once there is a fallback; values of hidden fields do not count.
    const asking = flow.data?.nodes?.find(({ id }) => id === 'HumanInput-1')
    Object.assign(asking?.data.node.template.timeout ?? {}, { show: true })
    const { id } = await jobs.start({ flow, resumable: true })
    await state(jobs, id, 'suspended')
    expect((await jobs.get(id))?.question?.allowedDecisions).toEqual([
      'approve',
      'reject',
      'fallback',
    ])
    const expiresAt = new Date(runtime.now().getTime() + 2 * 3_600_000)
    expect((await jobs.get(id))?.wakeAt).toEqual(expiresAt)
    await runtime.advance(2 * 3_600_000 + 6000)
    await state(jobs, id, 'succeeded')
    expect(await built(jobs, id)).toEqual(['ChatOutput-fallback'])
  })

  test('a node without a connected output does not ask and does not make a flow ask', async () => {
    const flow = flowOf({}, [])
    expect((await runFlow(flow, { components }).result).status).toBe('succeeded')
    expect(planAsksPeople(compileFlow(flow, { components }))).toBe(false)
    const asking = flowOf({}, ['reject'])
    expect(planAsksPeople(compileFlow(asking, { components }))).toBe(true)
    const { error } = await runFlow(asking, { components }).result
    expect(error?.code).toBe('not_resumable')
  })

  test('the editor gets an output for each choice, and the timeout with the fallback', async () => {
    const change = async (before: FlowNode, field: string, value: unknown) =>
      refreshNode(humanInput, before, { field, value })
    const chosen = await change(createNode(humanInput), 'decisions', ['Go', 'Wait'])
    expect(chosen.data.node.outputs?.map(({ name, display_name }) => [name, display_name])).toEqual(
      [
        ['branch_go', 'Go'],
        ['branch_wait', 'Wait'],
      ],
    )
    const fallen = await change(chosen, 'enable_fallback', true)
    expect(fallen.data.node.outputs?.map(({ name }) => name)).toEqual([
      'branch_go',
      'branch_wait',
      'branch_fallback',
    ])
    expect(fallen.data.node.template.timeout?.show).toBe(true)
  })
})
