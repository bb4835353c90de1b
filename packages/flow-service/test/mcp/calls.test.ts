import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { McpCalled } from '../../src/events.ts'
import { CALL, chain, createService, textOf, type Rpc, type Service } from './mcp-service.ts'

let service: Service
beforeAll(async () => void (service = await createService()))
afterAll(() => service.engine.close())

describe('tools and calls', () => {
  test('MC-11 MC-20 a disabled flow is neither listed nor callable', async () => {
    const id = await service.offer('Hidden', chain(), false)
    const { result } = await service.rpc('tools/list')
    expect((result?.['tools'] as { name: string }[] | undefined)?.map(({ name }) => name)).toEqual([
      'echo',
      'stuck',
    ])
    const error = { code: -32602, message: "Tool 'hidden' not found" }
    expect(await service.call('hidden')).toMatchObject({ error })
    const settings = [{ id, mcp_enabled: true, action_name: 'Shown Now' }]
    await service.api(`/api/v1/mcp/project/${service.project}`, { settings }, 'PATCH')
    expect(await service.call('shown_now', { input_value: 'a' })).toMatchObject({ result: {} })
    await service.api(
      `/api/v1/mcp/project/${service.project}`,
      { settings: [{ id, mcp_enabled: false }] },
      'PATCH',
    )
  })

  test('MC-17 a broken flow is omitted and reported, or is listed and fails', async () => {
    for (const listBroken of [false, true]) {
      const { engine, rpc, call, offer } = await createService({ listBroken })
      const id = await offer('Broken', chain('NoSuchComponent'))
      const { result } = await rpc('tools/list')
      expect(result?.['_meta']).toMatchObject({
        'x/excluded-flows': [{ flow_id: id, tool_name: 'broken', reason: expect.any(String) }],
      })
      expect(result?.['tools']).toHaveLength(listBroken ? 3 : 2)
      const called = await call('broken')
      expect(called).toMatchObject(
        listBroken ? { result: { isError: true } } : { error: { code: -32602 } },
      )
      await engine.close()
    }
  })

  test('MC-18 when there are too many flows, the first are listed and the others reported', async () => {
    const { engine, rpc, call } = await createService({ maxTools: 1 })
    const { result } = await rpc('tools/list')
    expect(result).toMatchObject({
      tools: [{ name: 'echo' }],
      _meta: { 'x/excluded-flows': [{ tool_name: 'stuck', reason: 'too many tools' }] },
    })
    expect(await call('stuck')).toMatchObject({ error: { code: -32602 } })
    await engine.close()
  })

  test('MC-14 the host sets the annotations of a tool', async () => {
    const annotations = () => ({ readOnlyHint: true })
    const { engine, rpc } = await createService({ annotations })
    const { result } = await rpc('tools/list')
    expect(result).toMatchObject({ tools: [{ annotations: { readOnlyHint: true } }, {}] })
    await engine.close()
  })

  test('MC-21 a string with a lone surrogate is refused; additional keys are accepted', async () => {
    const text = 'Input validation error: input_value: String is not valid Unicode'
    expect(textOf(await service.call('echo', { input_value: '\ud800' }))).toBe(text)
    expect(textOf(await service.call('echo', { input_value: 'a', more: [1] }))).toBe('a')
  })

  test('MC-22 a call without a session gets its own', async () => {
    const sessions = async (): Promise<number> => {
      const { items } = {
        items: await service.engine.options.store.messages.list({
          userId: service.engine.adminId,
          flowId: service.echo,
          orderBy: 'timestamp',
          errors: true,
          descending: false,
        }),
      }
      return new Set(items.map(({ sessionId }) => sessionId)).size
    }
    const before = await sessions()
    await Promise.all([1, 2].map((n) => service.call('echo', { input_value: `call ${n}` })))
    expect(await sessions()).toBe(before + 2)
  })

  test('MC-25 a run over the time limit gives an error result', async () => {
    const { engine, call } = await createService({ callTimeoutMs: 50 })
    expect(await call('stuck', { input_value: 'x' })).toMatchObject({
      result: { isError: true, content: [{ text: 'The run took longer than 0.05 seconds.' }] },
    })
    await engine.close()
  })

  test('MC-26 progress is sent on request and ends at the total', async () => {
    const params = { name: 'echo', arguments: {}, _meta: { progressToken: 'p' } }
    const answer = await service.post({ ...CALL, params })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const events = [...(await answer.text()).matchAll(/^data: (.*)$/gm)]
    const messages = events.map(([, data = '']) => JSON.parse(data) as Record<string, unknown>)
    const progress = (now: number, message: string) => ({
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: now, total: 2, message },
    })
    expect(messages).toMatchObject([
      progress(1, 'Chat Input'),
      progress(2, 'Chat Output'),
      { id: 7, result: { isError: false } },
    ])
    const asJson = await service.post({ ...CALL, params }, { accept: 'application/json' })
    expect(await asJson.json()).toMatchObject({ id: 7, result: { isError: false } })
  })

  test('MC-111 each of 200 concurrent calls gets its own answer', async () => {
    const { engine, call } = await createService()
    const texts = Array.from({ length: 200 }, (_, n) => `call ${n}.`)
    const answers = await Promise.all(texts.map((text) => call('echo', { input_value: text })))
    expect(answers.map(textOf)).toEqual(texts)
    await engine.close()
  })

  test('MC-28 calls over the limit give error results until another call has ended', async () => {
    const { engine, post, call } = await createService({ maxCalls: 1 })
    const leaving = new AbortController()
    const params = { name: 'stuck', arguments: { input_value: 'x' } }
    const first = post({ ...CALL, params }, {}, { signal: leaving.signal })
    await expect.poll(async () => textOf(await call('echo'))).toBe('Too many calls at once.')
    leaving.abort()
    await first
    expect(textOf(await call('echo', { input_value: 'again' }))).toBe('again')
    await engine.close()
  })

  test('MC-29, DO-96 a flow that asks a person gives an error that names what does not declare it', async () => {
    expect(await service.call('stuck', { input_value: 'ask' })).toMatchObject({
      result: {
        isError: true,
        content: [{ text: 'This flow asks a person, but Stuck does not declare suspends: true.' }],
      },
    })
  })

  test('MC-43 a notification cancels the call with its label and id, only for the same user', async () => {
    const params = { name: 'stuck', arguments: { input_value: 'x' } }
    const label = { 'mcp-session-id': 'label-1' }
    let answered = false
    const called = service.post({ ...CALL, params }, label).then((answer) => {
      answered = true
      return answer.json() as Promise<Rpc>
    })
    const cancel = (requestId: unknown, headers: Record<string, string>) =>
      service.post(
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
        headers,
      )
    await cancel(7, {})
    await cancel('7', label)
    await cancel(7, { 'mcp-session-id': 'label-2' })
    await cancel(7, { ...label, 'x-api-key': service.keys.other })
    expect(answered).toBe(false)
    await expect
      .poll(async () => {
        await cancel(7, label)
        return answered
      })
      .toBe(true)
    expect(await called).toMatchObject({ result: { isError: true } })
  })

  test('MC-104 a call emits an event without arguments and texts', async () => {
    const seen: McpCalled[] = []
    const stop = service.engine.events.on('mcp.called', (event) => void seen.push(event))
    await service.call('echo', { input_value: 'secret words' })
    stop()
    expect(seen).toEqual([
      {
        type: 'mcp.called',
        at: expect.any(Date),
        userId: service.engine.adminId,
        id: service.echo,
        projectId: service.project,
        tool: 'echo',
        era: '2025',
        ok: true,
        durationMs: expect.any(Number),
      },
    ])
  })

  test('MC-71 a file over the size limit is not read', async () => {
    const { engine, rpc, project, echo } = await createService({ maxResourceBytes: 10 })
    await engine.services.files.upload(echo, { name: 'big.txt', bytes: new Uint8Array(11) })
    const { result } = await rpc('resources/list')
    const [resource] = (result?.['resources'] ?? []) as { uri: string }[]
    expect(await rpc('resources/read', resource)).toMatchObject({
      error: { code: -32602, message: 'Resource too large' },
    })
    expect(project).not.toBe('')
    await engine.close()
  })
})
