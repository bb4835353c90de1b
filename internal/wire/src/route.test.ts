import { describe, expect, test } from 'vitest'
import { createRouteTable } from './index.ts'

const table = createRouteTable([
  { method: 'GET', path: '/flows/' },
  { method: 'POST', path: '/flows/' },
  { method: 'GET', path: '/flows/batch/' },
  { method: 'GET', path: '/flows/{flow_id}' },
  { method: 'GET', path: '/files/{flow_id}/{file_name}' },
  { method: 'GET', path: '/projects/{id}/' },
  { method: 'POST', path: '/run/session/{name}' },
  { method: 'POST', path: '/run/{name}' },
  { method: 'PATCH', path: '/sessions/{old}' },
  { method: 'DELETE', path: '/sessions/{id}' },
])
const paramsOf = (method: string, path: string) => {
  const match = table.match(method, path)
  return match.kind === 'found' ? { ...match.params } : match
}

describe('createRouteTable', () => {
  test('matches literal paths before parameters', () => {
    expect(paramsOf('POST', '/run/session/a')).toEqual({ name: 'a' })
    expect(paramsOf('POST', '/run/session')).toEqual({ name: 'session' })
    expect(paramsOf('GET', '/flows/batch/')).toEqual({})
    expect(paramsOf('GET', '/flows/batch')).toEqual({ flow_id: 'batch' })
  })

  test('allows each method of a path its own parameter names', () => {
    expect(paramsOf('PATCH', '/sessions/a')).toEqual({ old: 'a' })
    expect(paramsOf('DELETE', '/sessions/a')).toEqual({ id: 'a' })
  })

  test('decodes parameters once and leaves malformed escapes as they are', () => {
    expect(paramsOf('GET', '/files/a%20b/c%252Fd')).toEqual({ flow_id: 'a b', file_name: 'c%2Fd' })
    expect(paramsOf('GET', '/flows/%ZZ')).toEqual({ flow_id: '%ZZ' })
  })

  test('distinguishes trailing slashes, letter case and doubled slashes', () => {
    expect(paramsOf('GET', '/flows')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '/flows/a/')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '/flows/a//')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '/projects/a/')).toEqual({ id: 'a' })
    expect(paramsOf('GET', '/projects/a')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '/projects/a//')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '/Flows/')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '//flows/')).toEqual({ kind: 'none' })
    expect(paramsOf('GET', '/files//x')).toEqual({ kind: 'none' })
  })

  test('lists the allowed methods when the path does not support the requested one', () => {
    expect(paramsOf('PUT', '/flows/')).toEqual({ kind: 'method', allow: ['GET', 'POST'] })
    expect(paramsOf('DELETE', '/flows/a')).toEqual({ kind: 'method', allow: ['GET'] })
  })
})
