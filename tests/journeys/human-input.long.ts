import { needs } from '@x/test-kit/needs'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { builtinComponents } from '@x/flow-components'
import { createRegistry, type FlowJson, type FlowNode, type NodeDetails } from '@x/flow-engine'
import { describe, expect, test } from 'vitest'
import { flowOf, nodeOf, sharedService } from './flow-calls.ts'
import { newPerson } from './people.ts'
import type { Service } from './service.ts'

const service = sharedService({})
const catalogue = createRegistry(builtinComponents).catalogue()

function catalogued(type: string): NodeDetails {
  const found = Object.values(catalogue).find((category) => Object.hasOwn(category, type))?.[type]
  if (found === undefined) throw new Error(`The catalogue has no ${type}`)
  return structuredClone(found)
}

/** A node as version 1.11 saves it: its choices in the template, an output for each. */
function humanInput(choices: readonly string[], more: Record<string, unknown> = {}): FlowNode {
  const outputs = choices.map((choice) => ({
    name: `branch_${choice.toLowerCase().replaceAll(' ', '_')}`,
    display_name: choice,
    method: 'route_branch',
    types: ['Message'],
    selected: 'Message',
    group_outputs: true,
    value: '__UNDEFINED__',
    cache: true,
  }))
  return nodeOf('HumanInput-h1', 'HumanInput', {
    display_name: 'Human Input',
    base_classes: ['Message'],
    metadata: { module: 'lfx.components.flow_controls.human_input.HumanInput' },
    field_order: ['prompt', 'decisions', 'timeout', 'enable_fallback'],
    outputs,
    template: {
      _type: 'Component',
      prompt: {
        _input_type: 'MultilineInput',
        type: 'str',
        name: 'prompt',
        value: '',
        input_types: ['Message'],
        show: true,
      },
      decisions: {
        _input_type: 'ActionPickerInput',
        type: 'actionPicker',
        name: 'decisions',
        value: [...choices],
        list: true,
        show: true,
      },
      timeout: {
        _input_type: 'DurationInput',
        type: 'duration',
        name: 'timeout',
        value: { unit: 'Days', value: 3 },
        show: false,
      },
      enable_fallback: {
        _input_type: 'BoolInput',
        type: 'bool',
        name: 'enable_fallback',
        value: false,
        show: true,
      },
      ...more,
    },
  } as unknown as NodeDetails)
}

function approval(name: string): FlowJson {
  const chat = (id: string) => nodeOf(id, 'ChatOutput', catalogued('ChatOutput'))
  return flowOf(
    name,
    {
      ask: nodeOf('ChatInput-i1', 'ChatInput', catalogued('ChatInput')),
      human: humanInput(['Send it', 'Hold back']),
      sent: chat('ChatOutput-sent'),
      held: chat('ChatOutput-held'),
    },
    [
      ['ask.message', 'human.prompt'],
      ['human.branch_send_it', 'sent.input_value'],
      ['human.branch_hold_back', 'held.input_value'],
    ],
  )
}

async function begun(name: string): Promise<{ flowId: string; jobId: string }> {
  const made = await service().call('POST', '/api/v1/flows/', { body: approval(name) })
  const { id: flowId } = made.json() as { id: string }
  const built = await service().call('POST', `/api/v1/build/${flowId}/flow`, {
    body: { inputs: { input_value: 'An offer to Ada', session: 'talk' } },
  })
  expect([made.status, built.status]).toEqual([201, 200])
  return { flowId, jobId: (built.json() as { job_id: string }).job_id }
}

interface Pending {
  readonly job_id: string
  readonly request_id: string
}

async function pending(jobId: string): Promise<Pending> {
  let found: Pending | undefined
  await expect
    .poll(async () => {
      const answer = await service().call('GET', '/api/v2/workflows/pending')
      found = (answer.json() as Pending[]).find((one) => one.job_id === jobId)
      return found
    })
    .toBeDefined()
  if (found === undefined) throw new Error('No question')
  return found
}

const resume = (jobId: string, body: unknown) =>
  service().call('POST', `/api/v2/workflows/${jobId}/resume`, { body })

async function endOf(jobId: string): Promise<string> {
  const answer = await service().call(
    'GET',
    `/api/v1/build/${jobId}/events?event_delivery=streaming`,
  )
  return answer.text
}

const run = promisify(execFile)

async function curl(target: Service, path: string, ...more: readonly string[]): Promise<unknown> {
  const { stdout } = await run('curl', [
    '-sS',
    `${target.url}${path}`,
    '-H',
    `x-api-key: ${target.key}`,
    ...more,
  ])
  return JSON.parse(stdout) as unknown
}

describe('human input during a build', () => {
  test(
    'DR-39, DR-35, DR-36: the question is answered with curl after a restart; the branch runs',
    needs('curl'),
    async () => {
      const { flowId, jobId } = await begun('Approval over a restart')
      const question = await pending(jobId)
      expect(question).toMatchObject({
        job_id: jobId,
        flow_id: flowId,
        session_id: 'talk',
        vertex_id: 'HumanInput-h1',
        kind: 'node_input',
        prompt: 'An offer to Ada',
        options: [
          { action_id: 'send_it', label: 'Send it' },
          { action_id: 'hold_back', label: 'Hold back' },
        ],
        allowed_decisions: ['send_it', 'hold_back'],
      })
      await service().restart({ signal: 'SIGKILL' })

      const [again] = (await curl(
        service(),
        `/api/v2/workflows/pending?flow_id=${flowId}`,
      )) as Pending[]
      expect(again).toEqual(question)
      const accepted = await curl(
        service(),
        `/api/v2/workflows/${jobId}/resume`,
        '-H',
        'content-type: application/json',
        '-d',
        JSON.stringify({ request_id: question.request_id, decision: { action_id: 'hold_back' } }),
      )
      expect(accepted).toEqual({ job_id: jobId, status: 'resuming', message: 'Resume accepted' })

      const events = await endOf(jobId)
      expect(events).toContain('"ChatOutput-held"')
      expect(events.trim().endsWith('{"event": "end", "data": {}}')).toBe(true)
      const kinds = [...events.matchAll(/^\{"event": "(\w+)"/gm)].map(([, kind]) => kind)
      expect(kinds.filter((kind) => kind === 'suspended')).toHaveLength(1)
      expect(kinds.filter((kind) => kind === 'end')).toHaveLength(1)
      const listed = await service().call('GET', `/api/v1/monitor/messages?flow_id=${flowId}`)
      const messages = listed.json() as { text: string; content_blocks: { contents: object[] }[] }[]
      expect(messages.map(({ text }) => text)).toEqual(['An offer to Ada', '', 'An offer to Ada'])
      expect(messages[1]?.content_blocks[0]?.contents[0]).toMatchObject({
        type: 'human_input',
        submitted_action: 'hold_back',
      })
    },
  )

  test('DR-36: invalid answers are refused, each with its own error', async () => {
    const { jobId } = await begun('Approval with errors')
    const { request_id: requestId } = await pending(jobId)
    const decision = { action_id: 'send_it' }
    expect((await resume(jobId, { decision })).status).toBe(422)
    for (const unknown of ['no-such-job', '00000000-0000-4000-8000-000000000000']) {
      const answer = await resume(unknown, { request_id: requestId, decision })
      expect([answer.status, answer.json()]).toEqual([
        404,
        { detail: { error: 'Workflow job not found', code: 'JOB_NOT_FOUND', job_id: unknown } },
      ])
    }
    const stale = await resume(jobId, { request_id: 'HumanInput-h1:old:1', decision })
    expect([stale.status, stale.json()]).toMatchObject([409, { detail: { code: 'NOT_RESUMABLE' } }])
    const odd = await resume(jobId, { request_id: requestId, decision: { action_id: 'burn' } })
    expect([odd.status, odd.json()]).toMatchObject([
      422,
      {
        detail: {
          error: 'Invalid decision',
          code: 'INVALID_DECISION',
          message: "decision.action_id is not one of the pending request's allowed_decisions.",
          job_id: jobId,
        },
      },
    ])
    const none = await resume(jobId, { request_id: requestId, decision: null })
    expect(none.status).toBe(422)
    expect((await resume(jobId, { request_id: requestId, decision })).status).toBe(200)
    expect((await resume(jobId, { request_id: requestId, decision })).status).toBe(409)
    expect(await endOf(jobId)).toContain('"ChatOutput-sent"')
    const bad = await service().call('GET', '/api/v2/workflows/pending?flow_id=seven')
    expect(bad.status).toBe(422)
    const stranger = await service().call('GET', '/api/v2/workflows/pending', { key: null })
    expect(stranger.status).toBe(403)
  })

  test('DR-35, DR-36: another user cannot see, answer, read, cancel or copy it', async () => {
    const { flowId, jobId } = await begun('Approval that is not yours')
    const { request_id: requestId } = await pending(jobId)
    const { key } = await newPerson(service(), 'eve-guesses')
    const version = await service().call('POST', `/api/v1/flows/${flowId}/versions/`, { body: {} })
    const { id: versionId } = version.json() as { id: string }
    const decision = { action_id: 'send_it' }
    const attempts: [method: string, path: string, body?: unknown][] = [
      ['POST', `/api/v2/workflows/${jobId}/resume`, { request_id: requestId, decision }],
      ['GET', `/api/v1/build/${jobId}/events?event_delivery=polling`],
      ['POST', `/api/v1/build/${jobId}/cancel`],
      ['POST', `/api/v1/build/${flowId}/flow`, {}],
      ['GET', `/api/v1/flows/${flowId}/versions/`],
      ['POST', `/api/v1/flows/${flowId}/versions/`, {}],
      ['GET', `/api/v1/flows/${flowId}/versions/${versionId}`],
      ['DELETE', `/api/v1/flows/${flowId}/versions/${versionId}`],
      ['POST', `/api/v1/flows/${flowId}/versions/${versionId}/activate`],
    ]
    for (const [method, path, body] of attempts) {
      const answer = await service().call(method, path, { key, ...(body ? { body } : {}) })
      expect([method, path, answer.status]).toEqual([method, path, 404])
      expect(answer.text).not.toContain('An offer to Ada')
    }
    const seen = await service().call('GET', `/api/v2/workflows/pending?flow_id=${flowId}`, { key })
    expect(seen.text).not.toContain(jobId)
    const told = ['monitor/messages', 'monitor/builds', 'monitor/transactions', 'monitor/traces']
    for (const path of told) {
      const answer = await service().call('GET', `/api/v1/${path}?flow_id=${flowId}`, { key })
      expect([path, answer.text.includes('An offer to Ada')]).toEqual([path, false])
    }
    expect((await pending(jobId)).request_id).toBe(requestId)
    expect((await resume(jobId, { request_id: requestId, decision })).status).toBe(200)
    expect(await endOf(jobId)).toContain('"ChatOutput-sent"')
  })

  test('DR-45: endpoints that cannot ask a person refuse the flow before it runs', async () => {
    const made = await service().call('POST', '/api/v1/flows/', {
      body: approval('Approval to run'),
    })
    const { id } = made.json() as { id: string }
    const detail = `This flow asks a person. Start it with POST /api/v1/build/${id}/flow and answer with POST /api/v2/workflows/<job id>/resume.`
    const answers = await Promise.all([
      service().call('POST', `/api/v1/run/${id}`, { body: { input_value: 'x' } }),
      service().call('POST', `/api/v1/run/${id}?stream=true`, { body: { input_value: 'x' } }),
      service().call('POST', `/api/v1/run/advanced/${id}`, { body: {} }),
    ])
    for (const answer of answers) expect([answer.status, answer.json()]).toEqual([400, { detail }])
    const responses = await service().call('POST', '/api/v1/responses', {
      body: { model: id, input: 'x' },
    })
    expect(responses.text).toContain('This flow asks a person')
  })

  test('DR-37: jobs of a deactivated owner do not resume; deleting the owner deletes the questions', async () => {
    const ada = await newPerson(service(), 'ada-asks')
    const key = { key: ada.key }
    const made = await service().call('POST', '/api/v1/flows/', {
      ...key,
      body: approval('Approval of Ada'),
    })
    const { id: flowId } = made.json() as { id: string }
    const jobs: string[] = []
    for (const session of ['one', 'two']) {
      const built = await service().call('POST', `/api/v1/build/${flowId}/flow`, {
        ...key,
        body: { inputs: { input_value: 'An offer', session } },
      })
      jobs.push((built.json() as { job_id: string }).job_id)
    }
    const waiting = async () =>
      (await service().call('GET', '/api/v2/workflows/pending', key)).json() as Pending[]
    await expect.poll(async () => (await waiting()).length).toBe(2)
    const question = (await waiting()).find(({ job_id }) => job_id === jobs[0])
    const decision = { action_id: 'send_it' }
    const user = `/api/v1/users/${ada.id}`
    await service().call('PATCH', user, { body: { is_active: false } })
    const answer = await resume(jobs[0] ?? '', { request_id: question?.request_id, decision })
    expect([answer.status, answer.json()]).toMatchObject([
      403,
      { detail: { code: 'OWNER_INACTIVE' } },
    ])
    expect((await service().call('DELETE', user)).status).toBe(200)
    for (const id of jobs) {
      const later = await resume(id, { request_id: 'HumanInput-h1:x:1', decision })
      expect([403, 404]).toContain(later.status)
    }
  })

  test('DR-37: deleting a flow deletes its questions', async () => {
    const { flowId, jobId } = await begun('Approval to delete')
    await pending(jobId)
    expect((await service().call('DELETE', `/api/v1/flows/${flowId}`)).status).toBe(200)
    const answer = await service().call('GET', '/api/v2/workflows/pending')
    const left = answer.json() as Pending[]
    expect(left.map(({ job_id }) => job_id)).not.toContain(jobId)
    expect(await endOf(jobId)).toContain('"cancelled": true}'.replace(' ', ''))
  })
})
