import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { listActions, offerFlows, showFields, textIn } from './choose-flow.ts'
import { findFlow, innerText, runInner, toolOfFlow } from './inner-flow.ts'

/** Runs another flow of the same owner, in older flows. */
export const subFlow = defineComponent({
  type: 'SubFlow',
  furtherFields: true,
  displayName: 'Sub Flow',
  description: 'Runs another of your flows.',
  icon: 'Workflow',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.sub_flow.SubFlowComponent',
  legacy: true,
  replacement: ['flow_controls.RunFlow'],
  inputs: {
    flow_name: field.dropdown({
      displayName: 'Flow Name',
      options: [],
      refresh: true,
      attributes: { refresh_button: true },
    }),
  },
  outputs: {
    flow_outputs: output.data({
      displayName: 'Flow Outputs',
      method: 'generate_results',
      async run(inputs, ctx) {
        const flow = await findFlow(ctx, { name: inputs.flow_name })
        const text = await innerText(await runInner(ctx, { flow, values: inputs }), flow)
        ctx.status(text)
        return { text }
      },
    }),
  },
  async toTools(inputs, ctx) {
    const flow = await findFlow(ctx, { name: inputs.flow_name })
    return [toolOfFlow(flow, { values: inputs })]
  },
  async refresh(template, name, value, ctx) {
    if (name !== 'flow_name' && name !== 'tool_mode') return undefined
    const choice = { name: textIn(template, 'flow_name') }
    await listActions(template, choice, (flow) => toolOfFlow(flow, { values: {} }), ctx)
    if (name !== 'flow_name') return undefined
    const flow = await offerFlows(template, { field: name, value }, ctx)
    return flow === undefined ? undefined : { template: showFields(template, flow) }
  },
})
