import type { ChildRunResult, ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import type { FlowJson, NodeOutput } from '../../../graph/flow/node-json.ts'
import { templateField } from '../../node/create-node.ts'
import { listActions, offerFlows, showFields, textIn } from './choose-flow.ts'
import {
  findFlow,
  toolOfFlow,
  innerName,
  innerOutput,
  innerText,
  outerName,
  outputNodes,
  runInner,
} from './inner-flow.ts'

/**
 * Runs another flow of the same owner. A node exposes the fields of that flow's inputs and the
 * outputs of its outputs as `<node id>~<name>`.
 */
export const runFlow = defineComponent({
  type: 'RunFlow',
  furtherFields: true,
  displayName: 'Run Flow',
  description: "Runs another of your flows, directly or as an agent's tool.",
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
    return [toolOfFlow(flow, { values: inputs, sessionId: textOf(inputs.session_id) })]
  },
  async refresh(template, name, value, ctx) {
    if (name !== 'flow_name_selected' && name !== 'tool_mode') return undefined
    const isChosen = name === 'flow_name_selected'
    const choice = isChosen
      ? { id: '', name: textOf(value) }
      : choiceOf({
          flow_name_selected: textIn(template, 'flow_name_selected'),
          flow_id_selected: textIn(template, 'flow_id_selected'),
          flow_name: textIn(template, 'flow_name'),
        })
    await listActions(template, choice, (flow) => toolOfFlow(flow, { values: {} }), ctx)
    const wanted = { field: 'flow_name_selected', value: choice.id || choice.name }
    const flow = await offerFlows(template, wanted, ctx)
    const id = templateField(template, 'flow_id_selected')
    if (isChosen && id !== undefined && (flow !== undefined || choice.name === ''))
      template['flow_id_selected'] = { ...id, value: flow?.id ?? '' }
    if (flow === undefined) return undefined
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

/** Runs the flow once for all outputs of a build. */
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
