import { isTool, type Tool } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { calculatorAnswer } from '../utilities/calculator.ts'
import { describeCurrentDate } from '../utilities/current-date.ts'

export interface AgentToolInputs {
  readonly tools: readonly Tool[]
  readonly add_current_date_tool: boolean
  readonly add_calculator_tool: boolean
}

/**
 * Returns the connected tools and the agent's own helpers, except helpers with the same name as a connected
 * tool.
 * @throws TypeError for a tool with an invalid name
 */
export function offeredTools(inputs: AgentToolInputs, ctx: ComponentContext): Tool[] {
  const tools = inputs.tools.filter(isTool)
  const helpers = [
    ...(inputs.add_current_date_tool ? [currentDateTool(ctx)] : []),
    ...(inputs.add_calculator_tool ? [calculatorTool] : []),
  ]
  const taken = new Set(tools.map(({ name }) => name))
  for (const helper of helpers) if (!taken.has(helper.name)) tools.push(helper)
  for (const { name } of tools) {
    if (!/^[a-zA-Z0-9_-]+$/.test(name)) {
      throw new TypeError(
        `Invalid tool name '${name}': must only contain letters, numbers, underscores, dashes, and cannot contain spaces.`,
      )
    }
  }
  return tools
}

function currentDateTool({ runtime }: ComponentContext): Tool {
  return {
    name: 'get_current_date',
    description: 'Returns the current date and time in a time zone.',
    parameters: {
      type: 'object',
      properties: {
        timezone: { type: 'string', description: 'For example Europe/Prague', default: 'UTC' },
      },
    },
    call: async (args) => {
      const zone: unknown = Object(args).timezone
      return describeCurrentDate(runtime.now(), typeof zone === 'string' ? zone : 'UTC')
    },
  }
}

const calculatorTool: Tool = {
  name: 'evaluate_expression',
  description: 'Evaluates an arithmetic expression with + - * / ** and parentheses.',
  parameters: {
    type: 'object',
    properties: {
      expression: { type: 'string', description: 'For example 4*4*(33/22)+12-20' },
    },
    required: ['expression'],
  },
  call: async (args) => {
    const expression: unknown = Object(args).expression
    return calculatorAnswer(typeof expression === 'string' ? expression : '')
  },
}
