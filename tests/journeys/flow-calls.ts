import {
  formatHandle,
  type FlowEdge,
  type FlowJson,
  type FlowNode,
  type NodeDetails,
} from '@x/flow-engine'
import { afterAll, beforeAll } from 'vitest'
import type { Environment } from '../server/start-server.ts'
import { withService, type Answer, type Service } from './service.ts'

/** One server for all tests of a file; the function gives it once the tests run. */
export function sharedService(environment: Environment): () => Service {
  let service: Service | undefined
  let finish: () => void = () => undefined
  let walked: Promise<void> = Promise.resolve()
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      walked = withService(environment, (started) => {
        service = started
        resolve()
        return new Promise<void>((done) => (finish = done))
      })
      walked.catch(reject)
    })
  }, 60_000)
  afterAll(async () => {
    finish()
    await walked
  }, 60_000)
  return () => {
    if (service === undefined) throw new Error('The server has not started')
    return service
  }
}

/** A node of a flow as the editor makes it of an entry of the catalogue. */
export function nodeOf(id: string, type: string, node: NodeDetails): FlowNode {
  return { id, type: 'genericNode', position: { x: 0, y: 0 }, data: { id, type, node } }
}

/** A flow of these nodes; each edge goes `from.output` to `to.field`, by the names of the nodes. */
export function flowOf(
  name: string,
  nodes: Readonly<Record<string, FlowNode>>,
  edges: readonly (readonly [from: string, to: string])[],
): FlowJson {
  return {
    name,
    data: {
      nodes: Object.values(nodes),
      edges: edges.map(([from, to]) => edgeOf(nodes, from, to)),
    },
  }
}

function edgeOf(nodes: Readonly<Record<string, FlowNode>>, from: string, to: string): FlowEdge {
  const [source, output] = endOf(nodes, from)
  const [target, fieldName] = endOf(nodes, to)
  const declared = source.data.node.outputs?.find(({ name }) => name === output)
  const field = target.data.node.template[fieldName]
  const sourceHandle = {
    dataType: source.data.type,
    id: source.id,
    name: output,
    output_types: declared?.types ?? [],
  }
  const targetHandle = {
    fieldName,
    id: target.id,
    inputTypes: field?.input_types ?? [],
    type: field?.type ?? 'str',
  }
  return {
    id: `${from}-${to}`,
    source: source.id,
    target: target.id,
    sourceHandle: formatHandle(sourceHandle),
    targetHandle: formatHandle(targetHandle),
    data: { sourceHandle, targetHandle },
  }
}

function endOf(nodes: Readonly<Record<string, FlowNode>>, end: string): [FlowNode, string] {
  const [key = '', name = ''] = end.split('.')
  const node = nodes[key]
  if (node === undefined) throw new Error(`There is no node ${key}`)
  return [node, name]
}

/** Stores a flow; resolves with its id. */
export async function importFlow(
  service: Service,
  flow: FlowJson,
  options: { readonly key?: string } = {},
): Promise<string> {
  const answer = await service.call('POST', '/api/v1/flows/', { body: flow, ...options })
  if (answer.status !== 201) throw new Error(`The flow was not stored: ${answer.text}`)
  return (answer.json() as { id: string }).id
}

/** Runs a stored flow with a chat input. */
export function runFlow(
  service: Service,
  id: string,
  input: string,
  options: { readonly key?: string; readonly tweaks?: object } = {},
): Promise<Answer> {
  const { key, tweaks } = options
  return service.call('POST', `/api/v1/run/${id}`, {
    body: { input_value: input, ...(tweaks === undefined ? {} : { tweaks }) },
    ...(key === undefined ? {} : { key }),
  })
}

/** The events of a build, in order. */
export async function buildFlow(service: Service, id: string): Promise<BuildEvent[]> {
  const started = await service.call('POST', `/api/v1/build/${id}/flow`, { body: {} })
  const { job_id: job } = started.json() as { job_id: string }
  const answer = await service.call('GET', `/api/v1/build/${job}/events?event_delivery=streaming`)
  return answer.text
    .split('\n\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BuildEvent)
}

export interface BuildEvent {
  readonly event: string
  readonly data: { readonly build_data?: { readonly id: string; readonly params: string | null } }
}

/** The text of the first message of an answer. */
export function messageOf(answer: Answer): string | undefined {
  const { outputs } = answer.json() as {
    outputs: { outputs: { messages: { message: string }[] }[] }[]
  }
  return outputs[0]?.outputs[0]?.messages[0]?.message
}

/** The entry of a component in the catalogue of the server. */
export async function catalogueNode(service: Service, type: string): Promise<NodeDetails> {
  const answer = await service.call('GET', '/api/v1/all')
  const all = answer.json() as Record<string, Record<string, NodeDetails>>
  const found = Object.values(all).find((category) => type in category)?.[type]
  if (found === undefined) throw new Error(`The catalogue has no ${type}`)
  return found
}

/** A flow that asks a person about its input, and says it where that person approves. */
export async function approvalFlow(service: Service): Promise<FlowJson> {
  const node = async (id: string, type: string) =>
    nodeOf(id, type, await catalogueNode(service, type))
  return flowOf(
    'Approve',
    {
      ask: await node('ChatInput-a', 'ChatInput'),
      human: await node('HumanInput-h', 'HumanInput'),
      sent: await node('ChatOutput-sent', 'ChatOutput'),
    },
    [
      ['ask.message', 'human.prompt'],
      ['human.branch_approve', 'sent.input_value'],
    ],
  )
}
