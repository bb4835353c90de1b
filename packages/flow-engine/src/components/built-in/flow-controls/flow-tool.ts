import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { listActions, offerFlows, textIn } from './choose-flow.ts'
import { findFlow, toolOfFlow } from './inner-flow.ts'

/** Makes another flow of the same owner a tool for agents, in older flows. */
export const flowTool = defineComponent({
  type: 'FlowTool',
  furtherFields: true,
  displayName: 'Flow as Tool',
  description: 'Makes another of your flows available as a tool.',
  icon: 'hammer',
  category: 'flow_controls',
  module: 'lfx.components.flow_controls.flow_tool.FlowToolComponent',
  legacy: true,
  replacement: ['flow_controls.RunFlow'],
  inputs: {
    flow_name: field.dropdown({
      displayName: 'Flow Name',
      options: [],
      refresh: true,
      attributes: { refresh_button: true },
    }),
    tool_name: field.string({
      displayName: 'Name',
      info: 'Name of the tool. Default: the name of the flow.',
    }),
    tool_description: field.string({
      displayName: 'Description',
      info: 'Description of the tool. Default: the description of the flow.',
    }),
    return_direct: field.bool({
      displayName: 'Return Direct',
      info: "Use the result of the flow as the agent's answer.",
      default: false,
      advanced: true,
    }),
  },
  outputs: {
    api_build_tool: output.tools({
      displayName: 'Tool',
      method: 'build_tool',
      async run({ flow_name, tool_name, tool_description, return_direct }, ctx) {
        const tool = toolOfFlow(await findFlow(ctx, { name: flow_name }), {
          name: tool_name,
          description: tool_description,
          values: {},
        })
        ctx.status(tool.name)
        return [
          {
            name: tool.name,
            description: tool.description,
            parameters: tool.parameters,
            tags: [tool.name],
            returnDirect: return_direct,
            call: async (args) =>
              tool.call(typeof args === 'object' && args !== null ? { ...args } : {}, ctx),
          },
        ]
      },
    }),
  },
  async toTools({ flow_name, tool_name, tool_description, return_direct }, ctx) {
    const flow = await findFlow(ctx, { name: flow_name })
    const tool = toolOfFlow(flow, { name: tool_name, description: tool_description, values: {} })
    return [{ ...tool, returnDirect: return_direct }]
  },
  async refresh(template, name, value, ctx) {
    if (name === 'flow_name') await offerFlows(template, { field: name, value }, ctx)
    if (!['flow_name', 'tool_name', 'tool_description', 'tool_mode'].includes(name)) return
    const named = {
      name: textIn(template, 'tool_name'),
      description: textIn(template, 'tool_description'),
      values: {},
    }
    const choice = { name: textIn(template, 'flow_name') }
    await listActions(template, choice, (flow) => toolOfFlow(flow, named), ctx)
  },
})
