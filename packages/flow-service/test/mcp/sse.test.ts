import { createMemoryJobStore } from '@x/flow-engine/memory'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CALL, createService, LIST, textOf, type Service } from './mcp-service.ts'

let service: Service
beforeAll(async () => void (service = await createService()))
afterAll(() => service.engine.close())

describe('HTTP+SSE', () => {
  const open = async ({ engine, path, key }: Service) => {
    const url = `http://host${path.replace('streamable', 'sse')}`
    const answer = await engine.handler(new Request(url, { headers: { 'x-api-key': key } }))
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
    const next = async (): Promise<string> => (await reader?.read())?.value ?? ''
    return { answer, next, close: () => reader?.cancel() }
  }

  test('MC-60 MC-61 MC-62 the stream names the message endpoint and delivers the answers', async () => {
    const stream = await open(service)
    const first = await stream.next()
    const at = /^event: endpoint\ndata: (\S+)\n\n$/.exec(first)?.[1] ?? ''
    expect(at).toMatch(
      new RegExp(`^/api/v1/mcp/project/${service.project}/\\?session_id=[0-9a-f]{32}$`),
    )
    const post = (body: unknown, headers = {}) => service.post(body, headers, { at })
    const early = await post(LIST)
    expect([early.status, await early.text()]).toEqual([202, 'Accepted'])
    expect(await stream.next()).toContain('"error":{"code":-32602')
    await post({ ...LIST, method: 'initialize', params: { protocolVersion: '2024-11-05' } })
    expect(await stream.next()).toContain('"protocolVersion":"2024-11-05"')
    await post(LIST)
    expect(await stream.next()).toMatch(/^event: message\ndata: \{.*"name":"echo"/)

    const folder = service.path.replace('streamable', '')
    const wrong: [string, unknown, Record<string, string>, number, string][] = [
      [folder, LIST, {}, 400, 'session_id is required'],
      [`${folder}?session_id=x`, LIST, {}, 400, 'Invalid session ID'],
      [`${folder}?session_id=${'0'.repeat(32)}`, LIST, {}, 404, 'Could not find session'],
      [at, [], {}, 400, 'Could not parse message'],
      [at.replace(/project\/[^/]+/, ''), LIST, {}, 404, 'Could not find session'],
    ]
    for (const [where, body, headers, status, text] of wrong) {
      const answer = await service.post(body, headers, { at: where.replace('mcp//', 'mcp/') })
      expect([answer.status, await answer.text()]).toEqual([status, text])
    }
    await stream.close()
    await expect.poll(async () => (await post(LIST)).status).toBe(404)
  })

  test('MC-62 closing the stream ends its calls', async () => {
    const { engine, post, path, key, call } = await createService({ maxCalls: 1 })
    const stream = await open({ engine, path, key } as Service)
    const at = /data: (\S+)/.exec(await stream.next())?.[1] ?? ''
    await post(
      { ...LIST, method: 'initialize', params: { protocolVersion: '2025-03-26' } },
      {},
      { at },
    )
    await stream.next()
    await post({ ...CALL, params: { name: 'stuck', arguments: { input_value: 'x' } } }, {}, { at })
    await expect.poll(async () => textOf(await call('echo'))).toBe('Too many calls at once.')
    await stream.close()
    await expect.poll(async () => textOf(await call('echo', { input_value: 'free' }))).toBe('free')
    await engine.close()
  })

  test('MC-63 the streams of a user are limited, and closed when the user is deactivated', async () => {
    const running = await createService({ maxSseSessions: 1 })
    const stream = await open(running)
    await stream.next()
    const second = await open(running)
    expect(second.answer.status).toBe(503)
    expect(await second.next()).toBe('{"detail":"Too many open streams"}')
    const { engine } = running
    const record = await engine.options.store.users.get(engine.adminId)
    if (record === null) throw new Error('no admin')
    engine.userWritten({
      kind: 'deactivate',
      before: record,
      after: { ...record, isActive: false },
    })
    expect(await stream.next()).toBe('')
    await engine.close()
  })

  test('DP-57 the streams of a user end in all processes', async () => {
    const store = createMemoryJobStore()
    const jobs = { ...store, queue: { ...store.queue, shared: true } }
    const running = await createService({}, { jobs })
    const stream = await open(running)
    await stream.next()
    // The other process announces it on the bus that both of them share.
    store.bus.publish('job-owner-gone', JSON.stringify({ userId: 'somebody-else' }))
    store.bus.publish('job-owner-gone', JSON.stringify({ userId: running.engine.adminId }))
    expect(await stream.next()).toBe('')
    await running.engine.close()
  })

  test('MC-60 HTTP+SSE can be disabled', async () => {
    const { engine, path, key, post } = await createService({ sse: false })
    const { answer, next } = await open({ engine, path, key } as Service)
    const detail = 'SSE transport is disabled. Use the Streamable HTTP endpoint.'
    expect([answer.status, JSON.parse(await next())]).toEqual([404, { detail }])
    expect((await post(LIST, {}, { at: path.replace('streamable', '') })).status).toBe(404)
    await engine.close()
  })
})
