import { describe, expect, test } from 'vitest'
import { joinRequestHooks, observeRequest, type RequestHooks } from './request-hooks.ts'
import { requestIdOf, withRequestId } from './request-id.ts'

const observed = { requestId: '1', method: 'GET', route: '/a', headers: {}, context: {} }
const answered = (): Promise<Response> => Promise.resolve(new Response('x', { status: 201 }))

async function observe(hooks: RequestHooks, work = answered) {
  const errors: unknown[] = []
  const response = await observeRequest(hooks, observed, {
    work,
    onError: (error) => errors.push(error),
  })
  return { response, errors }
}

describe('OP-1 request hooks', () => {
  test('start and end get the same object, and the work runs inside the function that start returns', async () => {
    const seen: unknown[] = []
    const { response, errors } = await observe({
      onRequestStart(request) {
        seen.push(request)
        return (work) => {
          seen.push('before')
          return work()
        }
      },
      onRequestEnd: (request, { status, durationMs }) =>
        seen.push(request, status, durationMs >= 0),
    })
    expect(response.status).toBe(201)
    expect(seen).toEqual([observed, 'before', observed, 201, true])
    expect(seen[0]).toBe(seen[2])
    expect(errors).toEqual([])
  })

  test('hooks that throw are reported, and the work still runs once', async () => {
    let runs = 0
    const work = (): Promise<Response> => {
      runs += 1
      return answered()
    }
    const reason = new Error('no')
    const fail = (): never => {
      throw reason
    }
    expect((await observe({ onRequestStart: fail }, work)).errors).toEqual([reason])
    expect((await observe({ onRequestStart: () => fail }, work)).errors).toEqual([reason])
    const after: RequestHooks = {
      onRequestStart: () => (inner) => {
        inner()
        return fail()
      },
      onRequestEnd: fail,
    }
    const { errors, response } = await observe(after, work)
    expect(errors).toEqual([reason, reason])
    expect(response.status).toBe(201)
    expect(runs).toBe(3)
  })

  test('joined hooks are nested, the first one outermost', async () => {
    const order: string[] = []
    const named = (name: string): RequestHooks => ({
      onRequestStart: () => (work) => {
        order.push(`${name} in`)
        return work()
      },
      onRequestEnd: () => void order.push(`${name} end`),
    })
    const hooks = joinRequestHooks([named('a'), undefined, named('b')])
    await observe(hooks ?? {})
    expect(order).toEqual(['a in', 'b in', 'b end', 'a end'])
    expect(joinRequestHooks([undefined])).toBeUndefined()
  })
})

describe('OP-10 request ids', () => {
  const asked = (id: string): Request =>
    new Request('http://h/', { headers: { 'x-request-id': id } })
  const make = (): string => 'made'

  test('the id of the host wins, then a short printable header, then a generated id', () => {
    expect(requestIdOf(asked('given'), 'host', make)).toBe('host')
    expect(requestIdOf(asked('given 1'), undefined, make)).toBe('given 1')
    expect(requestIdOf(asked('x'.repeat(128)), undefined, make)).toHaveLength(128)
    expect(requestIdOf(asked('x'.repeat(129)), undefined, make)).toBe('made')
    expect(requestIdOf(asked('é'), undefined, make)).toBe('made')
    expect(requestIdOf(new Request('http://h/'), undefined, make)).toBe('made')
  })

  test('the id is added to the response, even when its headers are immutable', () => {
    expect(withRequestId(new Response(), 'a').headers.get('x-request-id')).toBe('a')
    const fixed = Response.redirect('http://h/b', 302)
    const sent = withRequestId(fixed, 'a')
    expect([sent.status, sent.headers.get('x-request-id')]).toEqual([302, 'a'])
    expect(withRequestId(new Response(), 'a\nb').headers.get('x-request-id')).toBeNull()
  })
})
