import { afterAll, beforeAll, expect, test } from 'vitest'
import { createService, type Service } from './mcp-service.ts'

let service: Service
beforeAll(async () => void (service = await createService()))
afterAll(() => service.engine.close())

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  1e308,
  true,
  '',
  'a',
  '\ud800',
  '\0',
  '__proto__',
  'constructor',
  'x'.repeat(10_000),
  [],
  [null],
  {},
  { a: { b: [] } },
  '2026-07-28',
  '2025-11-25',
  'echo',
  'http://host/api/v1/files/download/../../x',
]
const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/read',
  'prompts/list',
  'server/discover',
  'notifications/cancelled',
  'toString',
]
const KEYS = ['name', 'arguments', 'uri', 'protocolVersion', 'cursor', '_meta', 'requestId']
const ARGUMENTS = ['input_value', 'session_id', 'files', '__proto__', 'sender']
const META = [
  'progressToken',
  'io.modelcontextprotocol/protocolVersion',
  'io.modelcontextprotocol/clientCapabilities',
]
const HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id', 'accept']
const VALUES = [
  '',
  '2026-07-28',
  '2025-11-25',
  'tools/call',
  'echo',
  '=?base64?%?=',
  '*/*',
  'é',
  '0',
]

test('any input is answered without an internal error', async () => {
  let seed = 7
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T
  const some = (names: readonly string[]): object =>
    Object.fromEntries(names.flatMap((name) => (next(2) === 0 ? [[name, pick(ODD)]] : [])))
  const failures: unknown[] = []
  for (let round = 0; round < 600; round += 1) {
    const params = {
      ...some(KEYS),
      ...(next(2) === 0 ? { name: 'echo', arguments: some(ARGUMENTS) } : {}),
      ...(next(2) === 0 ? { _meta: some(META) } : {}),
    }
    const message = {
      jsonrpc: next(8) === 0 ? pick(ODD) : '2.0',
      ...(next(5) === 0 ? {} : { id: next(3) === 0 ? pick(ODD) : round }),
      method: next(8) === 0 ? pick(ODD) : pick(METHODS),
      ...(next(6) === 0 ? { params: pick(ODD) } : { params }),
    }
    const text = JSON.stringify(next(20) === 0 ? pick(ODD) : message)
    const body = next(20) === 0 ? text.slice(0, next(text.length)) : text
    const headers = Object.fromEntries(
      HEADERS.flatMap((name) => (next(4) === 0 ? [[name, pick(VALUES)]] : [])),
    )
    const answer = await service.post(body, headers)
    const said = await answer.text()
    const isFine =
      answer.status < 500 && !/-32603|at \/|\.ts:|node:internal/.test(said) && said.length < 100_000
    if (!isFine) failures.push([answer.status, said.slice(0, 300), body.slice(0, 300), headers])
  }
  expect(failures).toEqual([])
})
