import { describe, expect, test } from 'vitest'
import { json, LEAN_REQUEST, responseParts } from './index.ts'

const plain = new Request('http://host.example/')
const lean = Object.assign(new Request('http://host.example/'), { [LEAN_REQUEST]: true })

describe('json', () => {
  test('returns a plain Response for an ordinary request', async () => {
    const response = json(plain, { a: 1 }, { status: 201, headers: { 'x-a': 'b' } })
    expect(responseParts(response)).toBeUndefined()
    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('x-a')).toBe('b')
    expect(await response.json()).toEqual({ a: 1 })
  })

  test('AD-14 exposes status, headers and body for a lean request', () => {
    const response = json(lean, { a: 1 }, { status: 201 })
    expect(response).toBeInstanceOf(Response)
    expect(responseParts(response)).toEqual({
      status: 201,
      headers: [['content-type', 'application/json']],
      body: '{"a":1}',
    })
  })

  test('AD-14 becomes a plain Response when its headers are accessed', async () => {
    const response = json(lean, { a: 1 })
    expect(response.ok).toBe(true)
    expect(responseParts(response)).toBeDefined()
    response.headers.set('x-a', 'b')
    expect(responseParts(response)).toBeUndefined()
    const changed = new Response(response.body, response)
    expect(changed.headers.get('x-a')).toBe('b')
    expect(await changed.json()).toEqual({ a: 1 })
    expect(response.bodyUsed).toBe(true)
  })
})
