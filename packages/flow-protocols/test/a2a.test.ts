import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client'
import { Role, TaskState, type SendMessageRequest } from '@a2a-js/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import type { FlowJson } from '@x/flow-engine'
import { createScriptedModel } from '@x/flow-engine/testing'
import { serve } from '@x/test-kit'
import { createA2aHandler } from '../src/a2a.ts'
import { components, echoFlow, failingFlow, modelFlow, questionFlow } from './flows.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function serveAgent(flow: FlowJson, script: Parameters<typeof createScriptedModel>[0] = []) {
  const model = createScriptedModel(script)
  const auth = () => ({ userId: 'ada' })
  const handler = createA2aHandler({ flow, components, auth, models: model })
  const server = await serve(handler)
  open.push(async () => {
    await handler.close()
    await server.close()
  })
  const url = `${server.url}/api/a2a`
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({})],
      cardResolver: new DefaultAgentCardResolver({}),
    }),
  )
  return { url, model, client: await factory.createFromUrl(`${url}/`) }
}

const said = (text: string, more: object = {}): SendMessageRequest => ({
  tenant: '',
  metadata: undefined,
  configuration: undefined,
  message: {
    messageId: crypto.randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      {
        content: { $case: 'text', value: text },
        metadata: undefined,
        filename: '',
        mediaType: '',
      },
    ],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
})

type Sent = Awaited<ReturnType<Awaited<ReturnType<typeof serveAgent>>['client']['sendMessage']>>

function asTask(sent: Sent) {
  if (!('artifacts' in sent)) throw new Error('not a task')
  const { id, contextId, status, artifacts } = sent
  const texts = artifacts.map(({ artifactId, parts }) => [
    artifactId,
    parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
  ])
  return { id, contextId, state: TaskState[status?.state ?? 0], texts }
}

describe('an A2A agent over one flow', () => {
  test('DO-70, DO-71: the card leads to the endpoint, which answers a task', async () => {
    const { client, url } = await serveAgent(echoFlow())
    const task = asTask(await client.sendMessage(said('hello')))
    expect(task).toMatchObject({ state: 'TASK_STATE_COMPLETED', texts: [['answer-1', 'hello']] })
    const legacy = await fetch(`${url}/.well-known/agent-card.json`)
    expect(await legacy.json()).toMatchObject({ url, protocolVersion: '0.3.0', name: 'Echo' })
    expect(legacy.headers.get('vary')).toBe('A2A-Version')
  })

  test('DO-72: pieces of a text are appended; a failure says why', async () => {
    const { client } = await serveAgent(modelFlow(), [{ chunks: ['w1 ', 'w2'] }])
    const seen: unknown[] = []
    let text = ''
    for await (const { payload } of client.sendMessageStream(said('count'))) {
      seen.push(payload?.$case)
      if (payload?.$case !== 'artifactUpdate') continue
      const content = payload.value.artifact?.parts[0]?.content
      text = (payload.value.append ? text : '') + (content?.$case === 'text' ? content.value : '')
    }
    expect([seen[0], seen.at(-1), text]).toEqual(['task', 'statusUpdate', 'w1 w2'])
    const failing = await serveAgent(failingFlow())
    const task = await failing.client.sendMessage(said('x'))
    expect(task).toMatchObject({ status: { state: TaskState.TASK_STATE_FAILED } })
    expect(JSON.stringify(task)).toContain('It is broken')
  })

  test('DO-41, DO-71: a question is answered by its option, in the same task', async () => {
    const { client } = await serveAgent(questionFlow())
    const asked = asTask(await client.sendMessage(said('ship it?')))
    expect(asked.state).toBe('TASK_STATE_INPUT_REQUIRED')
    const answered = asTask(await client.sendMessage(said('APPROVE', { taskId: asked.id })))
    expect(answered).toMatchObject({ id: asked.id, state: 'TASK_STATE_COMPLETED' })
    await expect(client.sendMessage(said('again', { taskId: asked.id }))).rejects.toThrow(/waits/)
  })

  test('DO-73: get, list, cancel and subscribe', async () => {
    const { client } = await serveAgent(modelFlow(), () => ({
      chunks: ['w1 ', 'w2 '],
      chunkDelayMs: 60_000,
    }))
    const request = said('count')
    const configuration = {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      returnImmediately: true,
    }
    const { id, contextId } = asTask(await client.sendMessage({ ...request, configuration }))
    const first = client.resubscribeTask({ tenant: '', id })[Symbol.asyncIterator]()
    expect((await first.next()).value).toMatchObject({ payload: { $case: 'task' } })
    const cancelled = asTask(await client.cancelTask({ tenant: '', id, metadata: undefined }))
    expect(cancelled.state).toBe('TASK_STATE_CANCELED')
    await expect(client.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow(
      /ended/,
    )
    await expect(client.getTask({ tenant: '', id: 'unknown' })).rejects.toThrow(/no task/)
    const { tasks, totalSize } = await client.listTasks({
      tenant: '',
      contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
    })
    expect([tasks[0]?.id, totalSize]).toEqual([id, 1])
  })

  test('DO-75: errors of the protocol are JSON-RPC errors', async () => {
    const { url } = await serveAgent(echoFlow())
    const post = async (body: string) => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' }
      const answer = await fetch(url, { method: 'POST', headers, body })
      const { error } = (await answer.json()) as { error: { code: number } }
      return [answer.status, error.code]
    }
    const call = (method: string, params: unknown = {}) =>
      post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    expect(await post('{')).toEqual([200, -32700])
    expect(await post('[]')).toEqual([200, -32600])
    expect(await call('Nothing')).toEqual([200, -32601])
    expect(await call('GetTask', { id: 'unknown' })).toEqual([200, -32001])
    expect(await call('SendMessage', {})).toEqual([200, -32602])
  })

  test('DO-75: clients of 0.3 are served alike', async () => {
    const { url } = await serveAgent(echoFlow())
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'message/send',
        params: {
          message: {
            kind: 'message',
            messageId: 'm1',
            role: 'user',
            parts: [{ kind: 'text', text: 'hello' }],
          },
        },
      }),
    })
    expect(await answer.json()).toMatchObject({
      result: {
        kind: 'task',
        status: { state: 'completed' },
        artifacts: [{ artifactId: 'answer-1' }],
      },
    })
  })
})
