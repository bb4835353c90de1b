import type { FlowJson, FlowNode, TemplateField } from '../../../graph/flow/node-json.ts'
import { toTextInTurns } from '../../../graph/values/convert.ts'
import { isData } from '../../../graph/values/data.ts'
import { isDataFrame } from '../../../graph/values/data-frame.ts'
import { isMessage, readText } from '../../../graph/values/message.ts'
import type { ComponentTool } from '../../define/component.ts'
import type { ChildRunResult, ComponentContext } from '../../define/context.ts'
import type { ComponentServices } from '../../define/services.ts'

/** Separates the id of an inner node from the name of its field or output. */
const BETWEEN = '~'
const INPUT_TYPES: ReadonlySet<string> = new Set(['ChatInput', 'TextInput', 'Webhook'])
const OUTPUT_TYPES: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput'])

/** The fields with which a node selects the flow to run. */
export interface FlowChoice {
  readonly id?: string
  readonly name: string
}

/**
 * Finds a flow of the same owner, by id, then by name.
 * @throws TypeError if there is none
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

/** Returns the nodes through which a flow receives input or returns results. */
export function inputNodes(flow: FlowJson): FlowNode[] {
  return nodesOf(flow).filter(({ data }) => INPUT_TYPES.has(data?.type))
}

export function outputNodes(flow: FlowJson): FlowNode[] {
  return nodesOf(flow).filter(({ data }) => OUTPUT_TYPES.has(data?.type))
}

/** Returns the fields of an input node, except its code. */
export function inputFields({ data }: FlowNode): [name: string, field: TemplateField][] {
  return Object.entries(data.node.template).flatMap(([name, value]) =>
    name === 'code' || typeof value !== 'object' || value === null ? [] : [[name, value]],
  )
}

/** Returns the name with which an outer node exposes a field or output of an inner node. */
export const outerName = (nodeId: string, name: string): string => `${nodeId}${BETWEEN}${name}`

/** Parses such a name; undefined for other names. */
export function innerName(outer: string): { nodeId: string; name: string } | undefined {
  const at = outer.lastIndexOf(BETWEEN)
  return at < 1 ? undefined : { nodeId: outer.slice(0, at), name: outer.slice(at + 1) }
}

export interface InnerRun {
  readonly flow: FlowJson
  /** Values by outer field name. */
  readonly values: Readonly<Record<string, unknown>>
  readonly sessionId?: string
  /** True if messages are sent as those of the outer run. Default: true unless the component is a tool. */
  readonly relay?: boolean
}

/**
 * Runs a flow inside the current run, in the same session unless another is given.
 * @throws the error of the inner run
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

/** Converts an edge value to a value that a template can contain. */
async function plain(value: unknown): Promise<unknown> {
  if (isMessage(value)) return await readText(value.text)
  return isData(value) || isDataFrame(value) ? await toTextInTurns(value) : value
}

/**
 * Returns the result of a node of the inner flow.
 * @throws TypeError when the flow no longer has this node or output
 */
export function innerOutput({ outputs }: ChildRunResult, flow: FlowJson, outer: string): unknown {
  const { nodeId = outer, name = '' } = innerName(outer) ?? {}
  const found = outputs.find(({ id }) => id === nodeId)
  if (found === undefined || !Object.hasOwn(found.outputs, name))
    throw new TypeError(`Flow '${flow.name ?? ''}' has no output ${outer}`)
  return found.outputs[name]
}

/** Joins the results of a flow's output nodes into a string. */
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

/** Makes a flow a tool for agents; its arguments are the visible fields of its input nodes. */
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
      inputFields(node)
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

/** Selects fields that users fill in: `input_value` of chats and `data` of webhooks. */
function isArgument(name: string, show: unknown, advanced: unknown): boolean {
  return name === 'input_value' || name === 'data' || (show === true && advanced === false)
}

const toolName = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'flow'
