import { createMessage, readText, type Message } from '../../graph/values/message.ts'
import { isTool, type ChatMessage, type Tool } from '../../models/chat-model.ts'
import { refreshAnthropicModels } from '../anthropic/anthropic-model.ts'
import type { ComponentContext } from '../context.ts'
import { defineComponent } from '../define.ts'
import { field } from '../field.ts'
import { readImages } from '../message-images.ts'
import { output } from '../output.ts'
import { describeCurrentDate } from '../utilities/current-date.ts'
import {
  agentProviders,
  openAiFields,
  refreshAgentFields,
  refreshAgentModel,
} from './agent-fields.ts'
import { runAgentLoop } from './agent-loop.ts'
import { startAgentMessage } from './agent-message.ts'
import { buildAgentModel, type AgentModelInputs } from './agent-model.ts'
import { schemaColumns } from './schema-columns.ts'

/** A model that calls tools until it has an answer (CO-35, FE-52). */
export const agent = defineComponent({
  type: 'Agent',
  displayName: 'Agent',
  description: 'Answers with the help of tools.',
  icon: 'bot',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.agent.AgentComponent',
  inputs: {
    agent_llm: field.dropdown({
      displayName: 'Model Provider',
      default: 'OpenAI',
      refresh: true,
      inputTypes: [],
      options: agentProviders,
      attributes: {
        refresh_button: false,
        external_options: {
          fields: {
            data: {
              node: {
                name: 'connect_other_models',
                display_name: 'Connect other models',
                icon: 'CornerDownLeft',
              },
            },
          },
        },
        options_metadata: ['Anthropic', 'GoogleGenerativeAI', 'OpenAI', 'WatsonxAI', 'Ollama'].map(
          (icon) => ({ icon }),
        ),
      },
    }),
    api_key: field.secret({ displayName: 'OpenAI API Key', refresh: true, loadFromDb: false }),
    base_url: field.string({ displayName: 'Base URL', required: true, show: false }),
    project_id: field.string({ displayName: 'Project ID', required: true, show: false }),
    max_output_tokens: field.int({ displayName: 'Max Output Tokens', show: false }),
    ...openAiFields,
    system_prompt: field.multiline({
      displayName: 'Agent Instructions',
      default:
        'You are a helpful assistant that can use tools to answer questions and perform tasks.',
    }),
    context_id: field.text({ displayName: 'Context ID', advanced: true }),
    n_messages: field.int({
      displayName: 'Number of Chat History Messages',
      default: 100,
      advanced: true,
    }),
    format_instructions: field.multiline({
      displayName: 'Output Format Instructions',
      default: 'Answer with the fields of the schema and nothing else.',
      advanced: true,
    }),
    output_schema: field.table({
      displayName: 'Output Schema',
      advanced: true,
      columns: schemaColumns,
    }),
    tools: field.tools({ displayName: 'Tools' }),
    input_value: field.message({ displayName: 'Input', toolMode: true }),
    handle_parsing_errors: field.bool({
      displayName: 'Handle Parse Errors',
      default: true,
      advanced: true,
      info: 'Tell the model when the arguments of a call do not fit.',
    }),
    verbose: field.bool({ displayName: 'Verbose', default: true, advanced: true }),
    max_iterations: field.int({ displayName: 'Max Iterations', default: 15, advanced: true }),
    agent_description: field.multiline({
      displayName: 'Agent Description [Deprecated]',
      default: 'A helpful assistant with access to the following tools:',
      advanced: true,
    }),
    add_current_date_tool: field.bool({
      displayName: 'Current Date',
      default: true,
      advanced: true,
      info: 'Offer a tool that tells the date and time.',
    }),
  },
  outputs: {
    response: output.message({
      displayName: 'Response',
      method: 'message_response',
      run: (inputs, ctx) => answer(inputs, ctx),
    }),
  },
  toTools: (inputs, ctx) => [
    {
      name: 'Call_Agent',
      description: ctx.displayName === 'Agent' ? 'Asks the agent.' : `Asks ${ctx.displayName}.`,
      parameters: {
        type: 'object',
        properties: { input_value: { type: 'string', description: 'What to ask.', default: '' } },
      },
      call: (args, own) =>
        answer({ ...inputs, input_value: createMessage(textArgument(args.input_value)) }, own),
    },
  ],
  async refresh(template, name, value, ctx) {
    if (name === 'agent_llm') await refreshAgentFields(template, value, ctx)
    if (name === 'model_name') refreshAgentModel(template, value)
    if (name !== 'agent_llm' && template.agent_llm?.value === 'Anthropic')
      await refreshAnthropicModels(template, name, value, ctx)
  },
})

interface AgentInputs extends AgentModelInputs {
  readonly system_prompt: string
  readonly context_id: string
  readonly n_messages: number
  readonly tools: readonly Tool[]
  readonly input_value: Message | null
  readonly handle_parsing_errors: boolean
  readonly max_iterations: number
  readonly add_current_date_tool: boolean
}

async function answer(inputs: AgentInputs, ctx: ComponentContext): Promise<Message> {
  const model = await buildAgentModel(inputs, ctx)
  const tools = offeredTools(inputs, ctx)
  const question = await readQuestion(inputs.input_value, ctx)
  const messages = [
    ...systemMessages(inputs.system_prompt),
    ...(await history(inputs, ctx)),
    ...question.images,
    { role: 'user' as const, content: question.text },
  ]
  const shown = await startAgentMessage(ctx, { contextId: inputs.context_id })
  try {
    await shown.addText('Input', question.text)
    const { max_iterations: maxIterations, handle_parsing_errors: handleParsingErrors } = inputs
    const result = await runAgentLoop({
      ctx,
      model,
      messages,
      tools,
      shown,
      maxIterations,
      handleParsingErrors,
    })
    const message = await shown.complete(result.text, { output: result.finished })
    ctx.status(result.text)
    return message
  } catch (error) {
    await shown.fail()
    throw error
  }
}

function systemMessages(prompt: string): ChatMessage[] {
  return prompt.trim() === '' ? [] : [{ role: 'system', content: prompt }]
}

/** @throws TypeError for a tool that no model could call */
function offeredTools(inputs: AgentInputs, ctx: ComponentContext): Tool[] {
  const tools = inputs.tools.filter(isTool)
  if (inputs.add_current_date_tool) tools.push(currentDateTool(ctx))
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
    description: 'Tells the current date and time in a time zone.',
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

interface Question {
  readonly text: string
  /** Each image is a user message of its own. */
  readonly images: readonly ChatMessage[]
}

async function readQuestion(input: Message | null, ctx: ComponentContext): Promise<Question> {
  const text = input === null ? '' : await readText(input.text)
  const images = input === null ? [] : await readImages(input.files, ctx)
  const replacement =
    images.length > 0 ? 'Process the provided images.' : 'Continue the conversation.'
  return {
    text: text.trim() === '' ? replacement : text,
    images: images.map((image) => ({ role: 'user', content: [image] })),
  }
}

/** Earlier messages of the session, without the question itself and without blank ones. */
async function history(inputs: AgentInputs, ctx: ComponentContext): Promise<ChatMessage[]> {
  const { messages } = ctx.services
  if (messages === undefined || ctx.sessionId === '' || inputs.n_messages <= 0) return []
  const rows = await messages.list({
    sessionId: ctx.sessionId,
    ...(inputs.context_id === '' ? {} : { contextId: inputs.context_id }),
    order: 'ascending',
    last: inputs.n_messages,
  })
  return rows
    .filter(({ id, text }) => id !== inputs.input_value?.id && text.trim() !== '')
    .map(({ sender, text }) => ({
      role: sender === 'Machine' ? 'assistant' : 'user',
      content: text,
    }))
}

function textArgument(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
