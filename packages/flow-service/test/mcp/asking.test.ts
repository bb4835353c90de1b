import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import type { FlowJson } from '@x/flow-engine'
import { createMcpHandler } from '@x/flow-service/mcp'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createSystemRuntime } from '@x/wire'
import {
  CALL,
  CAPABILITIES_KEY,
  chain,
  createService,
  META,
  OWN,
  textOf,
  type Rpc,
  type Service,
} from './mcp-service.ts'

const ELICITS = { ...META, [CAPABILITIES_KEY]: { elicitation: { form: {} } } }
const NOBODY = 'This flow asks a person; the client cannot.'
const INVALID = { error: { code: -32602, message: 'Invalid or expired requestState' } }
/** Milliseconds that the clock is ahead. */
let ahead = 0
const system = createSystemRuntime()
const runtime = { ...system, now: () => new Date(system.now().getTime() + ahead) }
let service: Service

beforeAll(async () => {
  service = await createService({}, { runtime })
  await service.offer('Ask', chain('Asker'))
  await service.offer('Also', chain('Asker'))
})
afterAll(() => service.engine.close())

interface Options {
  readonly tool?: string
  readonly meta?: object
  readonly headers?: Record<string, string>
}

const call = async (
  more: object,
  { tool = 'ask', meta = ELICITS, headers = {} }: Options = {},
): Promise<Rpc> => {
  const answer = await service.post(
    { ...CALL, params: { name: tool, ...more, _meta: meta } },
    {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
      ...headers,
    },
  )
  return (await answer.json()) as Rpc
}
const asking = (how: object = {}) => ({ arguments: { input_value: JSON.stringify(how) } })
const answering = ({ result }: Rpc, answer: object) => ({
  requestState: result?.['requestState'],
  inputResponses: { answer },
})
const accept = (content: object) => ({ action: 'accept', content })

describe('MC-29 a flow that asks a person', () => {
  test('MC-29 asks through the client and continues with the answer', async () => {
    const asked = await call(asking({ question: 'Who are you?' }))
    expect(asked.result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        answer: {
          method: 'elicitation/create',
          params: {
            mode: 'form',
            message: 'Who are you?',
            requestedSchema: {
              type: 'object',
              properties: { answer: { type: 'string' } },
              required: ['answer'],
            },
          },
        },
      },
      requestState: expect.any(String),
      _meta: expect.any(Object),
    })
    const answered = await call(answering(asked, accept({ answer: 'Ada' })))
    expect(answered.result).toMatchObject({ resultType: 'complete', isError: false })
    expect(textOf(answered)).toBe('answered "Ada"')
  })

  test('MC-29 a state is accepted once, unchanged, and only for its user and tool', async () => {
    const asked = await call(asking())
    const answer = answering(asked, accept({ answer: 'yes' }))
    const changed = { ...answer, requestState: `${String(answer.requestState).slice(0, -2)}AA` }
    expect(await call(changed)).toMatchObject(INVALID)
    expect(await call({ ...answer, requestState: 'x' })).toMatchObject(INVALID)
    expect(await call(answer, { tool: 'also' })).toMatchObject(INVALID)
    expect(await call(answer, { tool: 'echo' })).toMatchObject(INVALID)
    expect(textOf(await call(answer))).toBe('answered "yes"')
    expect(await call(answer)).toMatchObject(INVALID)
    expect(await call({ requestState: 1 })).toMatchObject({ error: { code: -32602 } })
    expect(await call({ ...answer, inputResponses: [] })).toMatchObject({ error: { code: -32602 } })
  })

  test('MC-29 an invalid or missing answer is requested again', async () => {
    const schema = {
      type: 'object',
      properties: { age: { type: 'integer', minimum: 18 }, tags: { type: 'array' } },
      required: ['age'],
    }
    const asked = await call(asking({ schema }))
    expect(asked.result?.['inputRequests']).toMatchObject({
      answer: {
        params: {
          requestedSchema: {
            properties: {
              age: { type: 'integer', minimum: 18 },
              tags: { type: 'string', description: 'JSON' },
            },
            required: ['age'],
          },
        },
      },
    })
    const again = await call(answering(asked, accept({ age: 3 })))
    expect(again.result).toMatchObject({ resultType: 'input_required' })
    const third = await call({ requestState: again.result?.['requestState'] })
    expect(third.result).toMatchObject({ resultType: 'input_required' })
    const answered = await call(answering(third, accept({ age: 30, tags: '["a"]' })))
    expect(textOf(answered)).toBe('answered {"age":30,"tags":["a"]}')
  })

  const options = [
    { actionId: 'approve', label: 'Send it' },
    { actionId: 'reject', label: 'Keep it' },
  ]
  test('MC-29 DR-44 options are sent as choices; declining means reject when that is an option', async () => {
    const asked = await call(asking({ prompt: 'Send?', options }))
    expect(asked.result?.['inputRequests']).toMatchObject({
      answer: {
        params: {
          message: 'Send?',
          requestedSchema: {
            properties: { action_id: { enum: ['approve', 'reject'] } },
            required: ['action_id'],
          },
        },
      },
    })
    const declined = await call(answering(asked, { action: 'decline' }))
    expect(textOf(declined)).toBe('answered {"action_id":"reject"}')
    const other = await call(asking({ options }))
    const approved = await call(answering(other, accept({ action_id: 'approve' })))
    expect(textOf(approved)).toBe('answered {"action_id":"approve"}')
  })

  test.each(['cancel', 'decline'])(
    'MC-29 without an answer (%s) the job is cancelled',
    async (action) => {
      const asked = await call(asking())
      const ended = await call(answering(asked, { action }))
      expect(ended.result).toMatchObject({
        isError: true,
        content: [{ text: 'The user declined.' }],
      })
      expect(await service.engine.jobs.pending()).toEqual([])
      expect(await call(answering(asked, accept({ answer: 'late' })))).toMatchObject(INVALID)
    },
  )

  test('MC-29 an expired state is refused, and its job has ended', async () => {
    const asked = await call(asking())
    expect(await service.engine.jobs.pending()).toHaveLength(1)
    ahead += 3_600_001
    expect(await call(answering(asked, accept({ answer: 'late' })))).toMatchObject(INVALID)
    await expect.poll(() => service.engine.jobs.pending()).toEqual([])
  })

  test('MC-29 a client without elicitation gets an error at once', async () => {
    const unable = { isError: true, content: [{ text: NOBODY }] }
    expect((await call(asking(), { meta: META })).result).toMatchObject(unable)
    expect((await service.call('ask')).result).toMatchObject(unable)
    expect(await service.engine.jobs.pending()).toEqual([])
  })
})

describe('MC-101 createMcpHandler with jobs', () => {
  const flow = { id: 'f', name: 'Ask', data: chain('Asker') } as unknown as FlowJson
  const components = createRegistry([...builtinComponents, ...OWN.values()])
  const auth = { kind: 'none' } as const
  const send = async (handler: ReturnType<typeof createMcpHandler>, params: object) => {
    const body = { ...CALL, params: { name: 'ask', ...params, _meta: ELICITS } }
    const headers = {
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'ask',
    }
    const request = new Request('http://host/mcp', {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await (await handler(request)).json()) as Rpc
  }

  test('MC-29 MC-101 a question is continued by another process with the same secret', async () => {
    const shared = {
      name: 'x',
      tools: [flow],
      components,
      auth,
      jobs: createMemoryJobStore(),
      stateSecret: 'sixteen or more.',
    }
    const [first, second] = [createMcpHandler(shared), createMcpHandler(shared)]
    const asked = await send(first, asking({ question: 'Who?' }))
    await first.close()
    const answered = await send(second, answering(asked, accept({ answer: 'Bob' })))
    expect(textOf(answered)).toBe('answered "Bob"')
    await second.close()
  })

  test('MC-101 without jobs no question is asked; a short secret is refused', async () => {
    const options = { name: 'x', tools: [flow], components, auth }
    const handler = createMcpHandler(options)
    expect(textOf(await send(handler, asking()))).toBe(NOBODY)
    await handler.close()
    expect(() => createMcpHandler({ ...options, stateSecret: 'short' })).toThrow(TypeError)
  })
})
