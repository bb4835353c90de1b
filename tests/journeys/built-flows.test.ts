import { chatInput, chatOutput, humanInput, promptTemplate } from '@x/flow-engine/components'
import { createFlow, runFlow, type FlowDraft } from '@x/flow-engine'
import { describe, expect, test } from 'vitest'
import { sharedService } from './flow-calls.ts'

const service = sharedService({})

/** Exports a flow as a file and imports it as the editor does; gives its id. */
async function imported(flow: FlowDraft): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([JSON.stringify(flow)], { type: 'application/json' }), 'flow.json')
  const answer = await service().call('POST', '/api/v1/flows/upload/', { body })
  expect(answer).toMatchObject({ status: 201 })
  const [flowRow] = answer.json() as { id: string }[]
  return flowRow?.id ?? ''
}

describe('DR-78: a flow built in code', () => {
  test('DR-78: a flow runs in the program, is exported and imported over HTTP, and runs in the server', async () => {
    const flow = createFlow('greeting')
    const input = flow.add(chatInput)
    const greeting = flow.add(promptTemplate, {
      values: { template: 'Good morning, {name}!' },
      fields: { name: '' },
    })
    const answer = flow.add(chatOutput, { displayName: 'Answer' })
    flow
      .connect(input.outputs.message, greeting.input('name'))
      .connect(greeting.outputs.prompt, answer.inputs.input_value)
    const here = await runFlow(flow, { input: 'Ada' }).result
    expect(here.output(answer.outputs.message)?.text).toBe('Good morning, Ada!')

    const id = await imported(flow)
    const run = await service().call('POST', `/api/v1/run/${id}?stream=false`, {
      body: { input_value: 'Ada' },
    })
    expect(run).toMatchObject({ status: 200 })
    expect(run.text).toContain('"Good morning, Ada!"')
  })

  test('DR-78: a flow with human input is imported, asks in the server, and follows the chosen branch', async () => {
    const flow = createFlow('approval')
    const human = flow.add(humanInput, { values: { decisions: ['Send it', 'Hold back'] } })
    const [sent, held] = [flow.add(chatOutput), flow.add(chatOutput)]
    flow
      .connect(flow.add(chatInput).outputs.message, human.inputs.prompt)
      .connect(human.output('branch_send_it'), sent.inputs.input_value)
      .connect(human.output('branch_hold_back'), held.inputs.input_value)

    const id = await imported(flow)
    const built = await service().call('POST', `/api/v1/build/${id}/flow`, {
      body: { inputs: { input_value: 'An offer', session: 'talk' } },
    })
    const { job_id: jobId } = built.json() as { job_id: string }
    const questions = async (): Promise<{ request_id: string }[]> => {
      const answer = await service().call('GET', `/api/v2/workflows/pending?flow_id=${id}`)
      return answer.json() as { request_id: string }[]
    }
    await expect.poll(questions).toMatchObject([{ prompt: 'An offer' }])
    const [question] = await questions()
    const answered = await service().call('POST', `/api/v2/workflows/${jobId}/resume`, {
      body: { request_id: question?.request_id, decision: { action_id: 'hold_back' } },
    })
    expect(answered).toMatchObject({ status: 200 })
    const events = `/api/v1/build/${jobId}/events?event_delivery=streaming`
    const { text } = await service().call('GET', events)
    expect(text).toContain(`"id":"${held.id}"`)
    expect(text).not.toContain(`"id":"${sent.id}"`)
  })
})
