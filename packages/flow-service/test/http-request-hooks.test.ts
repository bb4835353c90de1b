import { describe, expect, test, vi } from 'vitest'
import type { ObservedRequest, RequestEnd } from '@x/flow-service'
import { createMemoryFlowStore } from '../src/memory/flow-store.ts'
import { adminToken } from '@x/test-kit'
import { createTestEngine } from '@x/test-kit'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

async function watched(broken = false) {
  const seen: { request: ObservedRequest; end?: RequestEnd }[] = []
  const errors: { error: unknown; info: unknown }[] = []
  const store = createMemoryFlowStore()
  const engine = await createTestEngine({
    store,
    onError: (error, info) => errors.push({ error, info }),
    requestHooks: {
      onRequestStart: (request) => void seen.push({ request }),
      onRequestEnd(request, end) {
        const entry = seen.find((one) => one.request === request)
        if (entry !== undefined) entry.end = end
      },
    },
  })
  const token = await adminToken(engine)
  const failure = new Error('the disk is gone')
  if (broken) store.flows.list = () => Promise.reject(failure)
  seen.length = 0
  return { engine, token, seen, errors, failure }
}

describe('OP-1 request hooks of the flow service', () => {
  test('hooks get the route, the user, the end and only the trace headers', async () => {
    const { engine, token, seen } = await watched()
    const context = { requestId: 'r-1' }
    const headers = { authorization: `Bearer ${token}`, traceparent, tracestate: 'a=b' }
    const id = '00000000-0000-4000-8000-000000000001'
    const response = await engine.handler(
      new Request(`http://h/api/v1/flows/${id}?secret=1`, { headers }),
      context,
    )
    expect(response.headers.get('x-request-id')).toBe('r-1')
    await engine.handler(new Request('http://h/nothing'))
    const [first, second] = seen
    expect(first?.request).toEqual({
      requestId: 'r-1',
      method: 'GET',
      route: '/api/v1/flows/{flow_id}',
      headers: { traceparent, tracestate: 'a=b' },
      context,
      userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(first?.request.context).toBe(context)
    expect(first?.end).toEqual({ status: 404, durationMs: expect.any(Number) })
    expect(second?.request).toMatchObject({ route: null, headers: {} })
    expect(second?.request.userId).toBeUndefined()
  })

  test('OP-12 the cause of a 500 is reported with the request id of the response, and to the hooks', async () => {
    const { engine, token, seen, errors, failure } = await watched(true)
    const headers = { authorization: `Bearer ${token}` }
    const response = await engine.handler(new Request('http://h/api/v1/flows/', { headers }))
    expect([response.status, await response.text()]).toEqual([
      500,
      '{"detail":"Internal Server Error"}',
    ])
    expect(seen[0]?.end).toMatchObject({ status: 500, error: failure })
    expect(errors).toEqual([
      { error: failure, info: expect.objectContaining({ path: '/api/v1/flows/' }) },
    ])
    expect(errors[0]?.info).toMatchObject({ requestId: response.headers.get('x-request-id') })
  })
})

test('OP-12 without onError the cause of a 500 is logged once, with the request id', async () => {
  const store = createMemoryFlowStore()
  const engine = await createTestEngine({ store })
  const token = await adminToken(engine)
  const failure = new Error('the disk is gone')
  store.flows.list = () => Promise.reject(failure)
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'seen' }
  const response = await engine.handler(new Request('http://h/api/v1/flows/', { headers }))
  expect(response.status).toBe(500)
  expect(written.mock.calls).toEqual([['Request seen failed:', failure]])
  written.mockRestore()
})
