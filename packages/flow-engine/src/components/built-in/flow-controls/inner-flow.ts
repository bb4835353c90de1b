import type { FlowJson, FlowNode, TemplateField } from '../../../graph/flow/node-json.ts'
import { toText } from '../../../graph/values/convert.ts'
import { isData } from '../../../graph/values/data.ts'
import { isDataFrame } from '../../../graph/values/data-frame.ts'
import { isMessage, readText } from '../../../graph/values/message.ts'
import type { ComponentTool } from '../../define/component.ts'
import type { ChildRunResult, ComponentContext } from '../../define/context.ts'
import type { ComponentServices } from '../../define/services.ts'

/** Between the id of a node of the inner flow and its field or output. */
const BETWEEN = '~'
const INPUT_TYPES: ReadonlySet<string> = new Set(['ChatInput', 'TextInput', 'Webhook'])
const OUTPUT_TYPES: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput'])

/** The fields by which a node chooses the flow that it runs. */
export interface FlowChoice {
  readonly id?: string
  readonly name: string
}

/**
 * A flow of the same owner, by its id before its name.
 * @throws TypeError when there is none
 */
export async function findFlow(
  { services, userId }: { services: Readonly<ComponentServices>; userId?: string | undefined },
  { id = '', name }: FlowChoice,
): Promise<FlowJson> {
  const wanted = id || name
  if (wanted === '') throw new TypeError('Choose the flow to run')
  const flow = await services.flows?.get(wanted, userId === undefined ? {} : { userId })
  if (flow === null || flow === undefined) throw new TypeError(`Flow '${wanted}' not found`)
  return flow
}

const nodesOf = (flow: FlowJson): readonly FlowNode[] => flow.data?.nodes ?? flow.nodes ?? []

/** The nodes that a flow is given values by, or gives its results by. */
export function inputNodes(flow: FlowJson): FlowNode[] {
  return nodesOf(flow).filter(({ data }) => INPUT_TYPES.has(data?.type))
}

export function outputNodes(flow: FlowJson): FlowNode[] {
  return nodesOf(flow).filter(({ data }) => OUTPUT_TYPES.has(data?.type))
}

/** The fields of an input node, without its code. */
export function fieldsOf({ data }: FlowNode): [name: string, field: TemplateField][] {
  return Object.entries(data.node.template).flatMap(([name, value]) =>
    name === 'code' || typeof value !== 'object' || value === null ? [] : [[name, value]],
  )
}

/** The name under which a node of an outer flow shows a field or an output of an inner one. */
export const outerName = (nodeId: string, name: string): string => `${nodeId}${BETWEEN}${name}`

/** The node and the field or output that such a name stands for; undefined for any other name. */
export function innerName(outer: string): { nodeId: string; name: string } | undefined {
  const at = outer.lastIndexOf(BETWEEN)
  return at < 1 ? undefined : { nodeId: outer.slice(0, at), name: outer.slice(at + 1) }
}

export interface InnerRun {
  readonly flow: FlowJson
  /** Values by the outer names of fields. */
  readonly values: Readonly<Record<string, unknown>>
  readonly sessionId?: string
  /** Its messages go out as those of the run around it. Default: unless the component is a tool. */
  readonly relay?: boolean
}

/**
 * Runs a flow inside the run around it, in its session unless another is named.
 * @throws what the inner run failed with
 */
export async function runInner(
  ctx: ComponentContext,
  { flow, values, sessionId = '', relay = !ctx.asTool }: InnerRun,
): Promise<ChildRunResult> {
  const tweaks: Record<string, Record<string, unknown>> = {}
  for (const [outer, value] of Object.entries(values)) {
    const target = innerName(outer)
    if (target === undefined || value === undefined || value === null || value === '') continue
    tweaks[target.nodeId] = { ...tweaks[target.nodeId], [target.name]: await plain(value) }
  }
  const result = await ctx.runFlow(flow, {
    tweaks,
    outputType: 'debug',
    relay,
    ...(sessionId === '' ? {} : { sessionId }),
  })
  if (result.status === 'succeeded') return result
  throw result.error ?? new Error(`Flow '${flow.name ?? ''}' was cancelled`)
}

/** A value of an edge as a value that a template can hold. */
async function plain(value: unknown): Promise<unknown> {
  if (isMessage(value)) return await readText(value.text)
  return isData(value) || isDataFrame(value) ? toText(value) : value
}

/**
 * The result of a node of the inner flow.
 * @throws TypeError when the flow no longer has such a node or output
 */
export function innerOutput({ outputs }: ChildRunResult, flow: FlowJson, outer: string): unknown {
  const { nodeId = outer, name = '' } = innerName(outer) ?? {}
  const found = outputs.find(({ id }) => id === nodeId)
  if (found === undefined || !Object.hasOwn(found.outputs, name))
    throw new TypeError(`Flow '${flow.name ?? ''}' has no output ${outer}`)
  return found.outputs[name]
}

/** The results of a flow's output nodes, as one string. */
export async function innerText({ outputs }: ChildRunResult, flow: FlowJson): Promise<string> {
  const ids = new Set(outputNodes(flow).map(({ id }) => id))
  const texts: string[] = []
  for (const { id, outputs: values } of outputs) {
    if (!ids.has(id)) continue
    for (const value of Object.values(values)) {
      const text = await plain(value)
      texts.push(typeof text === 'string' ? text : JSON.stringify(text))
    }
  }
  return texts.join('\n')
}

/** A flow as the tool of an agent; its arguments are the fields that its input nodes show. */
export function toolOfFlow(
  flow: FlowJson,
  {
    name = '',
    description = '',
    ...run
  }: {
    name?: string
    description?: string
    values: Readonly<Record<string, unknown>>
    sessionId?: string
  },
): ComponentTool {
  const fields = new Map(
    inputNodes(flow).flatMap((node) =>
      fieldsOf(node)
        .filter(([field, { show, advanced }]) => isArgument(field, show, advanced))
        .map(([field, { info }]) => {
          const argument = `${node.id}_${field}`.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-64)
          return [argument, { outer: outerName(node.id, field), info }] as const
        }),
    ),
  )
  const properties = Object.fromEntries(
    [...fields].map(([argument, { info }]) => [
      argument,
      { type: 'string', ...(info === undefined || info === '' ? {} : { description: info }) },
    ]),
  )
  const ownDescription = typeof flow['description'] === 'string' ? flow['description'] : ''
  return {
    name: toolName(name || (flow.name ?? 'flow')),
    description: description || ownDescription || `Runs the flow ${flow.name ?? ''}`,
    parameters: { type: 'object', properties, required: [...fields.keys()].slice(0, 1) },
    async call(args, ctx) {
      const given = [...fields].flatMap(([argument, { outer }]) =>
        Object.hasOwn(args, argument) ? [[outer, args[argument]] as const] : [],
      )
      const values = { ...run.values, ...Object.fromEntries(given) }
      const { sessionId = '' } = run
      return await innerText(await runInner(ctx, { flow, values, sessionId, relay: false }), flow)
    },
  }
}

/** Texts that a person would fill in: input_value of chats, data of webhooks. */
function isArgument(name: string, show: unknown, advanced: unknown): boolean {
  return name === 'input_value' || name === 'data' || (show === true && advanced === false)
}

const toolName = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'flow'
