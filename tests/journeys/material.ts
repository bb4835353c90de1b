import { readFile } from 'node:fs/promises'
import { builtinComponents } from '@x/flow-components'
import { flowBuilder } from '@x/flow-engine/testing'
import type { FlowJson } from '@x/flow-engine'
import type { Answer, Service } from './service.ts'

const encoder = new TextEncoder()

/** The files of these journeys, by name: real documents, and texts made here. */
export async function material(name: string): Promise<Uint8Array> {
  const text = TEXTS.get(name)
  if (text !== undefined) return encoder.encode(text)
  return new Uint8Array(await readFile(new URL(`material/${name}`, import.meta.url)))
}

const TEXTS = new Map([
  ['note.txt', 'Bring the blue umbrella.'],
  ['ships.csv', 'ship,tons\nAurora,1200\n'],
  ['crew.json', '{"captain": "Ada"}'],
  ['page.md', '# Tides'],
  ['logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
])

/** A form with one file in the field `file`. */
export async function formOf(name: string, bytes?: Uint8Array | string): Promise<FormData> {
  const form = new FormData()
  const content = bytes ?? (await material(name))
  form.set(
    'file',
    new File([typeof content === 'string' ? content : new Uint8Array(content)], name),
  )
  return form
}

/** Uploads to the caller's files (v2); gives the path that the answer names. */
export async function uploadToUser(
  service: Service,
  name: string,
  {
    bytes,
    append = false,
    key,
  }: { bytes?: Uint8Array | string; append?: boolean; key?: string } = {},
): Promise<string> {
  const answer = await service.call('POST', `/api/v2/files?append=${append}`, {
    body: await formOf(name, bytes),
    ...(key === undefined ? {} : { key }),
  })
  return field(answer, 'path')
}

/** Uploads to a flow (v1); gives the path that the answer names. */
export async function uploadToFlow(
  service: Service,
  flowId: string,
  name: string,
  key = service.key,
): Promise<string> {
  const body = await formOf(name)
  return field(
    await service.call('POST', `/api/v1/files/upload/${flowId}`, { body, key }),
    'file_path',
  )
}

/** Stores a flow; gives its id. */
export async function storeFlow(
  service: Service,
  flow: FlowJson,
  more: Readonly<Record<string, unknown>> = {},
  key = service.key,
): Promise<string> {
  const body = { name: `flow ${flow.name ?? ''}`, data: flow.data, ...more }
  return field(await service.call('POST', '/api/v1/flows/', { body, key }), 'id')
}

/** A text of a JSON answer. @throws Error with the answer when it has none of this name */
export function field(answer: Answer, name: string): string {
  const body = answer.json()
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : null
  if (typeof value === 'string') return value
  throw new Error(`No ${name} in ${answer.status} ${answer.text}`)
}

/** File → Chat Output: the answer is the text of the files. */
export function readingFlow(paths: readonly string[] = [], name = 'reader'): FlowJson {
  const flow = flowBuilder(name, { components: builtinComponents })
  flow.add('File', paths.length === 0 ? {} : { values: { path: paths } })
  flow.add('ChatOutput')
  return flow.connect('File-00001.message', 'ChatOutput-00001.input_value').toJSON()
}

/** The reading flow after the editor has chosen a table for its File node: its first output is the table. */
export async function tableFlow(service: Service, path: string): Promise<FlowJson> {
  const flow = readingFlow([path], 'table')
  const [file] = flow.data?.nodes ?? []
  const { template } = file?.data.node ?? {}
  const updated = await service.call('POST', '/api/v1/custom_component/update', {
    body: {
      code: Reflect.get(Object(Reflect.get(Object(template), 'code')), 'value'),
      template,
      field: 'path',
      field_value: [path],
      tool_mode: false,
    },
  })
  const node = updated.json() as { outputs: { name: string; types: string[] }[] }
  const [first] = node.outputs
  if (first === undefined) throw new Error(updated.text)
  Object.assign(file?.data.node ?? {}, { outputs: node.outputs })
  const edges = JSON.stringify(flow.data?.edges)
    .replaceAll('œnameœ:œmessageœ', `œnameœ:œ${first.name}œ`)
    .replaceAll('"name":"message"', `"name":"${first.name}"`)
    .replaceAll('œoutput_typesœ:[œMessageœ]', `œoutput_typesœ:[œ${first.types.join()}œ]`)
    .replaceAll('"output_types":["Message"]', `"output_types":${JSON.stringify(first.types)}`)
  return { ...flow, data: { nodes: flow.data?.nodes ?? [], edges: JSON.parse(edges) as [] } }
}

/** Chat Input → model → Chat Output, with the provider's key from the environment. */
export function chatFlow(name = 'chat'): FlowJson {
  const flow = flowBuilder(name)
  flow.add('ChatInput')
  flow.add('LanguageModelComponent', {
    values: { provider: 'OpenAI', model_name: 'gpt-4o-mini', api_key: 'OPENAI_API_KEY' },
  })
  flow.add('ChatOutput')
  flow.connect('ChatInput-00001.message', 'LanguageModelComponent-00001.input_value')
  flow.connect('LanguageModelComponent-00001.text_output', 'ChatOutput-00001.input_value')
  return withStoredKeys(flow.toJSON())
}

/** Key fields of models name their variable, as exports have it. */
export function withStoredKeys(flow: FlowJson): FlowJson {
  for (const { data } of flow.data?.nodes ?? []) {
    const key: unknown = Reflect.get(data.node?.template ?? {}, 'api_key')
    if (typeof key !== 'object' || key === null) continue
    Object.assign(key, { value: 'OPENAI_API_KEY', load_from_db: true })
  }
  return flow
}

/** An agent with a calculator, between both ends of a chat. */
export function agentGraph(): unknown {
  const flow = flowBuilder('agent')
  const input = flow.add('ChatInput')
  const tool = flow.add('CalculatorComponent', { toolMode: true })
  const agent = flow.add('Agent', {
    values: { agent_llm: 'OpenAI', model_name: 'gpt-4o-mini', api_key: 'OPENAI_API_KEY' },
  })
  const output = flow.add('ChatOutput')
  flow.connect(`${input}.message`, `${agent}.input_value`)
  flow.connect(`${tool}.component_as_tool`, `${agent}.tools`)
  flow.connect(`${agent}.response`, `${output}.input_value`)
  return withStoredKeys(flow.toJSON()).data
}
