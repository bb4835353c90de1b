import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { flowBuilder } from '@x/flow-engine/testing'
import type { Answer, Service } from '../journeys/service.ts'

const components = createRegistry(builtinComponents)

/** Values of a node; a text of the form `$NAME` names a variable. */
export type Values = Readonly<Record<string, unknown>>

/** Saves a flow of nodes in a row, each connected to the next. `[type, values, 'from>to']`. */
export async function saveFlow(
  service: Service,
  nodes: readonly (readonly [type: string, values?: Values, edge?: string])[],
  options: { readonly key?: string; readonly isPublic?: boolean } = {},
): Promise<string> {
  const builder = flowBuilder()
  let before: string | undefined
  for (const [type, values = {}, edge] of nodes) {
    const component = components.get(type)
    if (component === undefined) throw new TypeError(`No component ${type}`)
    const plain = Object.entries(values).filter(([, value]) => !isVariable(value))
    const id = builder.add(component, { values: Object.fromEntries(plain) })
    const [from, to] = edge?.split('>') ?? []
    if (before !== undefined && edge !== undefined)
      builder.connect(`${before}.${from}`, `${id}.${to}`)
    before = id
  }
  const flow = builder.toJSON()
  flow.data?.nodes?.forEach((node, index) => {
    for (const [name, value] of Object.entries(nodes[index]?.[1] ?? {})) {
      const field = node.data.node?.template?.[name]
      if (typeof value !== 'string' || field === undefined) continue
      const named = isVariable(value)
      // The editor shows a field before somebody fills it.
      Object.assign(field, {
        value: named ? value.slice(1) : value,
        load_from_db: named,
        show: true,
      })
    }
  })
  const access = options.isPublic === true ? { access_type: 'PUBLIC' } : {}
  const answer = await service.call('POST', '/api/v1/flows/', {
    body: { name: `abuse ${Math.random()}`, data: flow.data, ...access },
    ...(options.key === undefined ? {} : { key: options.key }),
  })
  if (answer.status !== 201) throw new Error(answer.text)
  return (answer.json() as { id: string }).id
}

/** Runs a saved flow; `debug` shows every vertex. */
export function run(service: Service, flow: string, key?: string): Promise<Answer> {
  return service.call('POST', `/api/v1/run/${flow}?stream=false`, {
    body: { input_value: 'hi', output_type: 'debug' },
    ...(key === undefined ? {} : { key }),
  })
}

/** Another user with an API key of its own. */
export async function addUser(service: Service, username: string): Promise<string> {
  const password = 'a-long-password-1'
  const made = await service.call('POST', '/api/v1/users/', { body: { username, password } })
  const { id } = made.json() as { id: string }
  await service.call('PATCH', `/api/v1/users/${id}`, { body: { is_active: true } })
  const login = await service.call('POST', '/api/v1/login', {
    key: null,
    body: new URLSearchParams({ username, password }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  const { access_token: token } = login.json() as { access_token: string }
  const key = await service.call('POST', '/api/v1/api_key/', {
    key: null,
    body: { name: 'abuse' },
    headers: { authorization: `Bearer ${token}` },
  })
  return (key.json() as { api_key: string }).api_key
}

function isVariable(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('$')
}
