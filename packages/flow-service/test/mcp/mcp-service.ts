import { builtinComponents } from '@x/flow-components'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { createRegistry } from '@x/flow-engine'
import type { McpOptions } from '../../src/mcp/mcp-options.ts'
import type { FlowEngineOptions } from '../../src/options.ts'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'

const ACCEPT = 'application/json, text/event-stream'
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
export const META = { [VERSION_KEY]: '2026-07-28', [CAPABILITIES_KEY]: {} }

/** Waits until its run is stopped, or asks a person. */
const stuck = defineComponent({
  type: 'Stuck',
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      async run({ text }, ctx) {
        if (text?.text === 'ask') return String(await ctx.suspend('Sure?'))
        return await new Promise<string>((_resolve, reject) => {
          const stop = (): void => reject(ctx.signal.reason as Error)
          ctx.signal.addEventListener('abort', stop)
        })
      },
    }),
  },
})

/** Asks what it is told to ask, and says the answer. */
const asker = defineComponent({
  type: 'Asker',
  suspends: true,
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      async run({ text }, ctx) {
        const how = JSON.parse(typeof text?.text === 'string' ? text.text : '{}') as {
          question?: unknown
        }
        const { question = 'Sure?', ...options } = how
        return `answered ${JSON.stringify(await ctx.suspend(question, options))}`
      },
    }),
  },
})

/** Says what it reads of a stored variable, and its session. */
const reader = defineComponent({
  type: 'Reader',
  inputs: { text: field.message({}) },
  outputs: {
    result: output.message({
      run: async (_, ctx) =>
        `${(await ctx.services.variables?.get('SECRET', { flowId: ctx.flowId })) ?? 'nothing'} in ${ctx.sessionId}`,
    }),
  },
})

export const OWN = new Map([stuck, reader, asker].map((component) => [component.type, component]))

/** Chat input to chat output, with a component of this type between them. */
export function chain(middle?: string): unknown {
  const flow = flowBuilder('x', { components: builtinComponents })
  const input = flow.add('ChatInput')
  const held = middle === undefined ? undefined : flow.add(OWN.get(middle) ?? middle)
  const answer = flow.add('ChatOutput')
  if (held === undefined) flow.connect(`${input}.message`, `${answer}.input_value`)
  else {
    flow.connect(`${input}.message`, `${held}.text`)
    flow.connect(`${held}.result`, `${answer}.input_value`)
  }
  return flow.toJSON().data
}

/** A service with a project that offers Echo and Stuck, and ways to ask it. */
export type Service = Awaited<ReturnType<typeof createService>>

/** A service with a project that offers Echo and Stuck. */
export async function createService(mcp: McpOptions = {}, more: Partial<FlowEngineOptions> = {}) {
  const components = createRegistry([...builtinComponents, ...OWN.values()])
  const engine = await createTestEngine({ components, mcp, ...more })
  const { users, apiKeys } = engine.services
  const keyOf = async (id: string): Promise<string> => {
    const record = await engine.options.store.users.get(id)
    if (record === null) throw new Error('no such user')
    const caller = {
      id,
      username: record.username,
      isSuperuser: false,
      via: 'key',
      record,
    } as const
    return (await apiKeys.create(caller, { name: null, createdAt: null })).key
  }
  const key = await keyOf(engine.adminId)
  const other = await users.create({ username: 'ada', password: 'secret-1', isActive: true })
  const blocked = await users.create({ username: 'eve', password: 'secret-1', isActive: true })
  const keys = { other: await keyOf(other.id), blocked: await keyOf(blocked.id) }
  await engine.options.store.users.update(blocked.id, { isActive: false })
  const api = async (path: string, json: object, method = 'POST'): Promise<{ id: string }> => {
    const given: RequestInit = { method }
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify(json)
    const answer = await engine.handler(
      new Request(`http://host${path}`, { ...given, headers, body }),
    )
    return (await answer.json()) as { id: string }
  }
  const project = (await api('/api/v1/projects/', { name: 'Tools' })).id
  const offer = async (name: string, data: unknown, enabled = true): Promise<string> => {
    const flow = { name, data, folder_id: project, mcp_enabled: enabled }
    return (await api('/api/v1/flows/', flow)).id
  }
  const echo = await offer('Echo', chain())
  await offer('Stuck', chain('Stuck'))
  const path = `/api/v1/mcp/project/${project}/streamable`
  /** Posts a body to the server; an object goes as JSON. */
  const post = (
    body: unknown,
    headers: Readonly<Record<string, string | undefined>> = {},
    { at = path, signal }: { at?: string; signal?: AbortSignal } = {},
  ): Promise<Response> => {
    const all = { accept: ACCEPT, 'content-type': 'application/json', 'x-api-key': key, ...headers }
    const given = Object.entries(all).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    )
    return engine.handler(
      new Request(new URL(at, 'http://host'), {
        method: 'POST',
        headers: given,
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...(signal === undefined ? {} : { signal }),
      }),
    )
  }
  const rpc = async (method: string, params?: object, headers?: Record<string, string>) =>
    (await (await post({ jsonrpc: '2.0', id: 1, method, params }, headers)).json()) as Rpc
  const call = (name: string, args: object = {}, headers?: Record<string, string>) =>
    rpc('tools/call', { name, arguments: args }, headers)
  return { engine, key, keys, project, path, offer, api, post, rpc, call, echo }
}

/** An answer of JSON-RPC. */
export interface Rpc {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
export const CALL = { jsonrpc: '2.0', id: 7, method: 'tools/call' }
export const textOf = ({ result }: Rpc): unknown =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text
