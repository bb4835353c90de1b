import { createMessage, type Message } from '../../../graph/values/message.ts'
import { refreshAnthropicModels } from '../../chat/anthropic-models.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import {
  agentProviders,
  openAiFields,
  refreshAgentFields,
  refreshAgentModel,
} from './agent-fields.ts'
import { runAgentLoop } from './agent-loop.ts'
import { startAgentMessage } from './agent-message.ts'
import { buildAgentModel } from './agent-model.ts'
import { agentMessages, type AgentInputs } from './agent-messages.ts'
import { structuredAnswer } from './agent-structured.ts'
import { offeredTools } from './agent-tools.ts'
import { schemaColumns } from './schema-columns.ts'

/** Runs a model that calls tools until it has an answer. */
export const agent = defineComponent({
  type: 'Agent',
  displayName: 'Agent',
  description: 'Answers questions with the help of tools.',
  icon: 'bot',
  category: 'models_and_agents',
  module: 'lfx.components.models_and_agents.agent.AgentComponent',
  inputs: {
    agent_llm: field.dropdown({
      displayName: 'Model Provider',
      refresh: true,
      inputTypes: [],
      options: agentProviders,
      attributes: {
        value: 'OpenAI',
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
    model: field.picker({ displayName: 'Language Model', newer: true, refresh: true }),
    api_key: field.key({ displayName: 'OpenAI API Key', refresh: true, loadFromDb: false }),
    base_url_ibm_watsonx: field.string({ displayName: 'watsonx API Endpoint', newer: true }),
    ollama_base_url: field.string({ displayName: 'Ollama API URL', newer: true }),
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
      info: 'Report invalid tool arguments to the model instead of failing.',
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
      info: 'Add a tool that returns the date and time.',
    }),
    add_calculator_tool: field.bool({ displayName: 'Calculator', default: false, newer: true }),
  },
  outputs: {
    response: output.message({
      displayName: 'Response',
      method: 'message_response',
      run: (inputs, ctx) => answer(inputs, ctx),
    }),
    structured_response: output.data({
      displayName: 'Structured Response',
      method: 'json_response',
      dynamic: true,
      toolMode: false,
      types: ['Data', 'JSON'],
      run: (inputs, ctx) => structuredAnswer(inputs, ctx),
    }),
  },
  toTools: (inputs, ctx) => [
    {
      name: 'Call_Agent',
      description: ctx.displayName === 'Agent' ? 'Asks the agent.' : `Asks ${ctx.displayName}.`,
      parameters: {
        type: 'object',
        properties: { input_value: { type: 'string', description: 'The question.', default: '' } },
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

async function answer(inputs: AgentInputs, ctx: ComponentContext): Promise<Message> {
  const model = await buildAgentModel(inputs, ctx)
  const tools = offeredTools(inputs, ctx)
  const { question, messages } = await agentMessages(inputs, model, ctx)
  const shown = await startAgentMessage(ctx, { contextId: inputs.context_id })
  try {
    await shown.addText('Input', question)
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

function textArgument(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
