import { flowBuilder, startFakeOpenAi } from '@x/flow-engine/testing'
import { afterAll, expect, test } from 'vitest'
import { sharedService } from './flow-calls.ts'
import { createFlow, eventsOf, until } from './flows.ts'

const model = await startFakeOpenAi()
afterAll(() => model.close())

const service = sharedService({ OPENAI_BASE_URL: model.url, SERVICE_SSRF_ALLOW: '127.0.0.1' })

interface Pending {
  readonly job_id: string
  readonly request_id: string
  readonly action_requests?: readonly { readonly name: string; readonly args: unknown }[]
}

/** An agent with a calculator, whose calls a person decides about. */
function agentGraph(): unknown {
  const flow = flowBuilder()
  const input = flow.add('ChatInput')
  const tool = flow.add('CalculatorComponent', { toolMode: true })
  const agent = flow.add('Agent', {
    values: { api_key: 'sk-journey', add_current_date_tool: false },
  })
  flow.connect(`${input}.message`, `${agent}.input_value`)
  flow.connect(`${tool}.component_as_tool`, `${agent}.tools`)
  flow.connect(`${agent}.response`, `${flow.add('ChatOutput')}.input_value`)
  const { data } = flow.toJSON()
  const rows = data?.nodes?.find(({ id }) => id === tool)?.data.node.template.tools_metadata?.value
  for (const row of rows as Record<string, unknown>[])
    row.approval_actions = ['approve', 'edit', 'reject']
  return data
}

async function question(jobId: string): Promise<Pending> {
  const answer = await until(
    async () => {
      const listed = await service().call('GET', '/api/v2/workflows/pending')
      return (listed.json() as Pending[]).find((one) => one.job_id === jobId)
    },
    (found) => found !== undefined,
  )
  if (answer === undefined) throw new Error('Nobody was asked')
  return answer
}

const resume = (jobId: string, requestId: string, decision: object) =>
  service().call('POST', `/api/v2/workflows/${jobId}/resume`, {
    body: { request_id: requestId, decision },
  })

test('DR-40: tool calls of an agent are approved, edited and rejected, also after the process is killed', async () => {
  const { id } = await createFlow(service(), { name: 'Sums', data: agentGraph() })
  const sum = (expression: string) => ({ name: 'evaluate_expression', args: { expression } })
  model.reply({ toolCalls: [sum('1+1'), sum('2+2')] }, { toolCalls: [sum('3+3')] }, 'All done')
  const refused = await service().call('POST', `/api/v1/run/${id}`, {
    body: { input_value: 'x' },
  })
  expect([refused.status, refused.text.includes('This flow asks a person')]).toEqual([400, true])
  const started = await service().call('POST', `/api/v1/build/${id}/flow`, {
    body: { inputs: { input_value: 'Add up', session: 'sums' } },
  })
  const { job_id: jobId } = started.json() as { job_id: string }

  const first = await question(jobId)
  expect(first).toMatchObject({
    kind: 'tool_approval',
    prompt: 'Approve tool call: evaluate_expression',
    allowed_decisions: ['approve', 'edit', 'reject'],
    action_requests: [{ name: 'evaluate_expression', args: { expression: '1+1' } }],
  })
  const empty = await resume(jobId, first.request_id, { action_id: 'edit' })
  expect([empty.status, empty.text.includes('values.args')]).toEqual([422, true])
  await service().restart({ signal: 'SIGKILL' })
  const edited = { action_id: 'edit', values: { args: { expression: '40+2' } } }
  expect((await resume(jobId, first.request_id, edited)).status).toBe(200)

  const second = await until(
    () => question(jobId),
    ({ request_id: requestId }) => requestId !== first.request_id,
  )
  expect(second.action_requests?.[0]?.args).toEqual({ expression: '2+2' })
  const rejected = { action_id: 'reject', values: { message: 'Not this one' } }
  expect((await resume(jobId, second.request_id, rejected)).status).toBe(200)

  const third = await until(
    () => question(jobId),
    ({ request_id: requestId }) => requestId !== second.request_id,
  )
  expect(third.action_requests?.[0]?.args).toEqual({ expression: '3+3' })
  expect((await resume(jobId, third.request_id, { action_id: 'approve' })).status).toBe(200)

  const stream = await service().call(
    'GET',
    `/api/v1/build/${jobId}/events?event_delivery=streaming`,
  )
  const events = eventsOf(stream)
  expect(events.filter(({ event }) => event === 'suspended')).toHaveLength(3)
  expect(events.at(-1)?.event).toBe('end')
  expect(model.requests).toHaveLength(3)
  const asked = JSON.stringify(model.requests.at(-1))
  for (const told of ['42', 'Not this one', '6']) expect(asked).toContain(told)
  const listed = await service().call('GET', '/api/v1/monitor/messages?session_id=sums')
  const texts = (listed.json() as { text: string }[]).map(({ text }) => text)
  expect(texts.filter((text) => text !== '')).toEqual(['Add up', 'All done'])
})
