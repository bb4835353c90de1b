import { createTestEngine } from './engine.ts'
import type { FlowEngineOptions } from '@x/flow-service'

/** An engine and one of its users, who sends requests to it. */
export async function createUserCalls(options: Partial<FlowEngineOptions> = {}) {
  const engine = await createTestEngine(options)
  const record = await engine.services.users.create({
    username: 'ada',
    password: 'secret-1',
    isActive: true,
  })
  const user = { userId: record.id, isSuperuser: false }
  const request = async (method: string, path: string, init: RequestInit = {}) => {
    const sent = new Request(`http://host.example${path}`, { ...init, method })
    const response = await engine.handler(sent, { user })
    const text = await response.text()
    const body = parsed(text)
    return { status: response.status, headers: response.headers, text, body }
  }
  const call = (method: string, path: string, body?: unknown) =>
    request(method, path, {
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  /** Gives the id of the flow. */
  const create = async (data: unknown, more: object = {}): Promise<string> => {
    const { body } = await call('POST', '/api/v1/flows/', { name: 'f', data, ...more })
    return (body as { id: string }).id
  }
  return { engine, record, request, call, create }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
