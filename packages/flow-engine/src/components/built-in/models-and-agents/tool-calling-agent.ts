import { isData } from '../../../graph/values/data.ts'
import { readText, type Message } from '../../../graph/values/message.ts'
import type { ChatMessage } from '../../../models/chat-model.ts'
import { chosenChatModel } from '../../chat/chosen-model.ts'
import { readAttachments } from '../../chat/message-attachments.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field, type Values } from '../../define/field.ts'
import { output } from '../../define/output.ts'
import { systemMessages } from './agent-messages.ts'
import { answerWithTools } from './answer-with-tools.ts'

const fields = {
  tools: field.tools({ displayName: 'Tools' }),
  input_value: field.message({ displayName: 'Input', toolMode: true }),
  handle_parsing_errors: field.bool({
    displayName: 'Handle Parse Errors',
    default: true,
    advanced: true,
  }),
  verbose: field.bool({ displayName: 'Verbose', default: true, advanced: true }),
  max_iterations: field.int({ displayName: 'Max Iterations', default: 15, advanced: true }),
  agent_description: field.multiline({
    displayName: 'Agent Description [Deprecated]',
    default: 'A helpful assistant with access to the following tools:',
    advanced: true,
  }),
  llm: field.picker({ displayName: 'Language Model', as: 'handle' }),
  model: field.picker({ displayName: 'Language Model', newer: true }),
  api_key: field.key({ displayName: 'API Key', newer: true }),
  system_prompt: field.multiline({
    displayName: 'System Prompt',
    default:
      'You are a helpful assistant that can use tools to answer questions and perform tasks.',
  }),
  user_prompt: field.multiline({ displayName: 'Prompt', newer: true }),
  chat_history: field.handle({ displayName: 'Chat Memory', types: ['Data'], list: true }),
}

type AgentValues = Values<typeof fields>

/** The older agents, which take their model and history from edges; they run like Agent. */
export const toolCallingAgent = defineComponent({
  type: 'ToolCallingAgent',
  aliases: ['OpenAIToolsAgent', 'XMLAgent'],
  displayName: 'Tool Calling Agent',
  description: 'Answers questions with the help of tools.',
  icon: 'LangChain',
  category: 'langchain_utilities',
  module: 'lfx.components.langchain_utilities.tool_calling.ToolCallingAgentComponent',
  legacy: true,
  inputs: fields,
  outputs: {
    agent: output.any({
      displayName: 'Agent',
      method: 'build_agent',
      types: ['AgentExecutor'],
      run: ({ tools }) => ({ tools: tools.map(({ name }) => name) }),
    }),
    response: output.message({
      displayName: 'Response',
      method: 'message_response',
      run: (inputs, ctx) => answer(inputs, ctx),
    }),
  },
})

async function answer(inputs: AgentValues, ctx: ComponentContext): Promise<Message> {
  const { api_key: apiKey, max_iterations: maxIterations } = inputs
  const picked = inputs.model ?? inputs.llm
  const nothingChosen = 'No language model selected'
  const model = await chosenChatModel({ picked, apiKey, nothingChosen }, ctx)
  const text = inputs.input_value === null ? '' : await readText(inputs.input_value.text)
  const question = inputs.user_prompt.includes('{input}')
    ? inputs.user_prompt.replaceAll('{input}', () => text)
    : text
  const attached = await readAttachments(inputs.input_value?.files ?? [], ctx)
  const messages: ChatMessage[] = [
    ...systemMessages(inputs.system_prompt, model, ctx),
    ...inputs.chat_history.flatMap(turnOf),
    ...attached.map((part) => ({ role: 'user' as const, content: [part] })),
    { role: 'user', content: question === '' ? 'Continue the conversation.' : question },
  ]
  const { tools, handle_parsing_errors: handleParsingErrors } = inputs
  const loop = { model, messages, question, tools, maxIterations, handleParsingErrors }
  const answered = await answerWithTools(loop, ctx)
  ctx.status(answered.text)
  return answered
}

/** A message of the history, as Message History gives it. */
function turnOf(value: unknown): ChatMessage[] {
  const { text, sender } = isData(value) ? value.data : { text: undefined, sender: undefined }
  if (typeof text !== 'string' || text.trim() === '') return []
  return [{ role: sender === 'Machine' ? 'assistant' : 'user', content: text }]
}
