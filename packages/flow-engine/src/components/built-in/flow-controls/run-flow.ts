import type { ChildRunResult, ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import type { RefreshContext } from '../../define/refresh-context.ts'
import type { FlowJson, NodeOutput, NodeTemplate } from '../../../graph/flow/node-json.ts'
import { templateField } from '../../node/create-node.ts'
import {
  fieldsOf,
  findFlow,
  flowTool,
  innerName,
  innerOutput,
  innerText,
  inputNodes,
  outerName,
  outputNodes,
  runInner,
} from './inner-flow.ts'

/**
 * Runs another flow of the same owner (MO-60). A node shows the fields of the inputs of that flow and
 * the outputs of its outputs, named `<node id>~<name>`.
 */
export const runFlow = defineComponent({
  type: 'RunFlow',
  displayName: 'Run Flow',
  description: 'Runs another of your flows, by itself or as a tool of an agent.',
  icon: 'Workflow',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.run_flow.RunFlowComponent',
  beta: true,
  inputs: {
    flow_name_selected: field.dropdown({
      displayName: 'Flow Name',
      options: [],
      refresh: true,
      attributes: { refresh_button: true },
    }),
    flow_id_selected: field.string({
      displayName: 'Flow ID',
      show: false,
      attributes: { override_skip: true },
    }),
    session_id: field.text({ displayName: 'Session ID', advanced: true }),
    cache_flow: field.bool({ displayName: 'Cache Flow', advanced: true }),
  },
  outputs: {
    flow_outputs: output.message({
      displayName: 'Flow Outputs',
      dynamic: true,
      async run(inputs, ctx) {
        const { flow, result } = await innerRun(inputs, ctx)
        return await innerText(result, flow)
      },
    }),
    flow_outputs_data: output.data({
      displayName: 'Flow Data Output',
      dynamic: true,
      async run(inputs, ctx) {
        const { flow, result } = await innerRun(inputs, ctx)
        return { text: await innerText(result, flow) }
      },
    }),
  },
  forNode({ outputs = [] }) {
    const named = outputs.filter(({ name }) => innerName(name) !== undefined)
    return Object.fromEntries(
      named.map(({ name, types = [] }) => [
        name,
        output.any({
          types,
          toolMode: false,
          async run(inputs, ctx) {
            const { flow, result } = await innerRun(inputs, ctx)
            return innerOutput(result, flow, name)
          },
        }),
      ]),
    )
  },
  async toTools(inputs, ctx) {
    const flow = await findFlow(ctx, choiceOf(inputs))
    return [flowTool(flow, { values: inputs, sessionId: textOf(inputs.session_id) })]
  },
  async refresh(template, name, value, ctx) {
    if (name !== 'flow_name_selected') return undefined
    await offerFlows(template, ctx)
    if (typeof value !== 'string' || value === '') return undefined
    const scope = ctx.userId === undefined ? {} : { userId: ctx.userId }
    const flow = await ctx.services.flows?.get(value, scope)
    if (flow === null || flow === undefined) return undefined
    return { template: showFields(template, flow), outputs: outputsOf(flow) }
  },
})

interface RunFlowInputs {
  readonly flow_name_selected?: unknown
  readonly flow_id_selected?: unknown
  readonly session_id?: unknown
  readonly [field: string]: unknown
}

function choiceOf({ flow_name_selected: name, flow_id_selected: id, ...older }: RunFlowInputs) {
  const named = textOf(name) || textOf(older['flow_name'])
  return { id: textOf(id), name: named }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

interface Inner {
  readonly flow: FlowJson
  readonly result: ChildRunResult
}

const runs = new WeakMap<ComponentContext, Promise<Inner>>()

/** One run for all outputs of a build. */
function innerRun(inputs: RunFlowInputs, ctx: ComponentContext): Promise<Inner> {
  const known = runs.get(ctx)
  if (known !== undefined) return known
  const begin = async (): Promise<Inner> => {
    const flow = await findFlow(ctx, choiceOf(inputs))
    const result = await runInner(ctx, {
      flow,
      values: inputs,
      sessionId: textOf(inputs.session_id),
    })
    return { flow, result }
  }
  const run = begin()
  runs.set(ctx, run)
  return run
}

async function offerFlows(template: NodeTemplate, ctx: RefreshContext): Promise<void> {
  const chooser = templateField(template, 'flow_name_selected')
  const scope = ctx.userId === undefined ? {} : { userId: ctx.userId }
  const names = (await ctx.services.flows?.names?.(scope)) ?? []
  if (chooser !== undefined) chooser.options = [...names]
}

/** The node with the fields of the flow's inputs in place of those of another flow. */
function showFields(template: NodeTemplate, flow: FlowJson): NodeTemplate {
  const own = Object.entries(template).filter(([name]) => innerName(name) === undefined)
  const shown = inputNodes(flow).flatMap((node) =>
    fieldsOf(node).map(([name, definition]) => {
      const outer = outerName(node.id, name)
      const kept = templateField(template, outer)
      const title = `${node.data.node.display_name ?? node.data.type} - ${definition.display_name ?? name}`
      const value = kept === undefined ? definition.value : kept.value
      // Texts take an edge here, also where the inner node has a box alone.
      const takes = definition.type === 'str' && !definition.input_types?.length
      const types = takes ? { input_types: ['Message'] } : {}
      return [outer, { ...definition, ...types, name: outer, display_name: title, value }] as const
    }),
  )
  const made = Object.fromEntries([...own, ...shown])
  const id = templateField(made, 'flow_id_selected')
  if (id !== undefined) made['flow_id_selected'] = { ...id, value: flow.id ?? '' }
  return made
}

function outputsOf(flow: FlowJson): NodeOutput[] {
  return outputNodes(flow).flatMap(({ id, data: { type, node } }) =>
    (node.outputs ?? []).map((made) => ({
      ...made,
      name: outerName(id, made.name),
      display_name: `${node.display_name ?? type} - ${made.display_name ?? made.name}`,
      method: 'resolve_flow_output',
    })),
  )
}
