import type { Message } from '../../../graph/values/message.ts'
import type { ChatMessage, ChatModel, Tool } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { runAgentLoop } from './agent-loop.ts'
import { startAgentMessage } from './agent-message.ts'
import { offeredTools } from './agent-tools.ts'

export interface ToolAgent {
  readonly model: ChatModel
  readonly messages: readonly ChatMessage[]
  /** Shown as the first step. */
  readonly question: string
  readonly tools: readonly Tool[]
  readonly maxIterations: number
  readonly handleParsingErrors: boolean
  /** Sends no message and no tokens. Default false. */
  readonly silent?: boolean
}

/**
 * Runs an agent over given messages and shows its steps in one message, which is its answer.
 * @throws TypeError for a tool with an invalid name, and the errors of the model
 */
export async function answerWithTools(
  { question, silent = false, ...agent }: ToolAgent,
  ctx: ComponentContext,
): Promise<Message> {
  const helpers = { add_current_date_tool: false, add_calculator_tool: false }
  const tools = offeredTools({ tools: agent.tools, ...helpers }, ctx)
  const shown = await startAgentMessage(ctx, { contextId: '', silent })
  try {
    await shown.addText('Input', question)
    const result = await runAgentLoop({ ...agent, ctx, tools, shown })
    return await shown.complete(result.text, { output: result.finished })
  } catch (error) {
    await shown.fail()
    throw error
  }
}
