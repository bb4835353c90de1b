import { StreamResponse } from '@a2a-js/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import type { FlowJson } from '@x/flow-engine'
import { createSystemRuntime } from '@x/wire'
import { createMemoryJobStore } from '@x/flow-engine/memory'
import { createScriptedModel } from '@x/flow-engine/testing'
import { serve } from '@x/test-kit'
import { createA2aHandler, type A2aOptions } from '../src/a2a.ts'
import { components, modelFlow, questionFlow } from './flows.ts'

// What other agents send is of any shape.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any
type Answer = { readonly result?: Json; readonly error?: Json }

const system = createSystemRuntime()
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** An agent that takes notifications, unless `refuses` says otherwise. */
async function receiver(refuses: (count: number) => boolean = () => false) {
  const got: { readonly body: object; readonly headers: Headers }[] = []
  let count = 0
  const server = await serve(async (request) => {
    const body = (await request.json()) as object
    count += 1
    if (refuses(count)) return new Response(null, { status: 503 })
    got.push({
      body: StreamResponse.toJSON(StreamResponse.fromJSON(body)) as object,
      headers: request.headers,
    })
    return new Response(null, { status: 200 })
  })
  open.push(() => server.close())
  return { url: `${server.url}/hook`, got }
}

async function serveAgent(
  flow: FlowJson,
  script: Parameters<typeof createScriptedModel>[0] = [],
  options: Partial<A2aOptions> = {},
) {
  const models = createScriptedModel(script)
  const auth = () => ({ userId: 'ada' })
  const handler = createA2aHandler({
    flow,
    components,
    auth,
    models,
    runtime: { ...system, sleep: (ms, signal) => system.sleep(Math.min(ms, 20), signal) },
    ssrfAllow: ['127.0.0.1'],
    secretKey: 'a secret key that is long enough, yes',
    ...options,
  })
  const server = await serve(handler)
  open.push(async () => {
    await handler.close()
    await server.close()
  })
  const call = async (method: string, params: object): Promise<Answer> => {
    const answer = await fetch(`${server.url}/api/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await answer.json()) as Answer
  }
  const say = (text: string, config?: object, more: object = {}) =>
    call('SendMessage', {
      message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more },
      ...(config === undefined ? {} : { configuration: { taskPushNotificationConfig: config } }),
    })
  return { call, say, handler }
}

const shortOf = ({ body }: { readonly body: Json }): string =>
  body.statusUpdate?.status.state ?? JSON.stringify(body.artifactUpdate.artifact.parts[0])

describe('push notifications of tasks', () => {
  test('DO-74: each status and each whole artifact, in order, with token and credentials', async () => {
    const { url, got } = await receiver()
    const { say } = await serveAgent(modelFlow(), [{ chunks: ['w1 ', 'w2'] }])
    await say('count', {
      url,
      token: 'tok',
      authentication: { scheme: 'Bearer', credentials: 'secret' },
    })
    await expect
      .poll(() => got.map(shortOf))
      .toEqual(['TASK_STATE_WORKING', '{"text":"w1 w2"}', 'TASK_STATE_COMPLETED'])
    const { headers } = got[0] ?? {}
    expect([headers?.get('x-a2a-notification-token'), headers?.get('authorization')]).toEqual([
      'tok',
      'Bearer secret',
    ])
  })

  test('DO-74: a question, its answer, and what is refused is sent again', async () => {
    const { url, got } = await receiver((count) => count === 1)
    const { say, call } = await serveAgent(questionFlow())
    const asked = await say('ship it?')
    const { id: taskId } = asked.result.task
    const set = await call('CreateTaskPushNotificationConfig', {
      taskId,
      id: 'one',
      url,
      token: 't',
    })
    expect(set.result).toMatchObject({ id: 'one', taskId, url })
    expect(JSON.stringify(set.result)).not.toContain('"t"')
    await say('approve', undefined, { taskId })
    await expect
      .poll(() => got.map(shortOf), { timeout: 5000 })
      .toEqual(['TASK_STATE_WORKING', '{"text":"ship it?"}', 'TASK_STATE_COMPLETED'])
  })

  test('DO-74: settings are listed without secrets, removed, and at most ten', async () => {
    const { url } = await receiver()
    const { say, call } = await serveAgent(questionFlow())
    const { id: taskId } = (await say('ship it?')).result.task
    const ids = Array.from({ length: 10 }, (_, n) => `c${n}`)
    for (const id of ids)
      await call('CreateTaskPushNotificationConfig', {
        taskId,
        id,
        url,
        authentication: { scheme: 'Bearer', credentials: 'secret' },
      })
    const more = await call('CreateTaskPushNotificationConfig', { taskId, id: 'c10', url })
    expect(more.error).toMatchObject({
      code: -32602,
      message: 'A task has at most 10 push settings',
    })
    const listed = await call('ListTaskPushNotificationConfigs', { taskId })
    expect(listed.result.configs.map(({ id }: { id: string }) => id)).toEqual(ids)
    expect(JSON.stringify(listed)).not.toContain('secret')
    await call('DeleteTaskPushNotificationConfig', { taskId, id: 'c3' })
    expect((await call('GetTaskPushNotificationConfig', { taskId, id: 'c3' })).error).toMatchObject(
      {
        code: -32001,
      },
    )
    expect(
      (await call('GetTaskPushNotificationConfig', { taskId, id: 'c4' })).result,
    ).toMatchObject({
      id: 'c4',
    })
  })

  test('DO-74: addresses that are private, or without TLS, are refused when they are set', async () => {
    const { say } = await serveAgent(modelFlow(), ['x'], { ssrfAllow: ['hooks.internal'] })
    const wrong = [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://[::1]/',
      'https://169.254.169.254/latest',
      'https://localhost/',
      'https://db.internal/',
      'https://user:pw@example.com/',
      'ftp://example.com/',
      'nothing',
    ]
    for (const url of wrong)
      expect([url, (await say('x', { url })).error?.code]).toEqual([url, -32602])
    expect((await say('x', { url: 'http://hooks.internal/' })).error).toBeUndefined()
  })

  test('DO-74: another process goes on where the first one stopped', async () => {
    const { url, got } = await receiver()
    const jobs = createMemoryJobStore()
    const first = await serveAgent(questionFlow(), [], { jobs })
    const { id: taskId } = (await first.say('ship it?', { url })).result.task
    await expect
      .poll(() => got.map(shortOf))
      .toEqual(['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'])
    await first.handler.close()
    const second = await serveAgent(questionFlow(), [], { jobs })
    await second.say('approve', undefined, { taskId })
    // What the first one sent without hearing the answer is sent again.
    const asked = (told: string): boolean => told === 'TASK_STATE_INPUT_REQUIRED'
    await expect
      .poll(() =>
        got
          .slice(2)
          .map(shortOf)
          .filter((told) => !asked(told)),
      )
      .toEqual(['TASK_STATE_WORKING', '{"text":"ship it?"}', 'TASK_STATE_COMPLETED'])
  })
})
