import { isObject } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import { isChatModel, isTool } from '@x/flow-engine/models'
import { answerWithTools, withSettings } from '@x/flow-engine/internal'
import { whileHoldingSlot } from '@x/flow-engine/internal/node'
import { toChatMessage } from './host-handles.ts'
import { readSettings } from './made-objects.ts'
import { OutgoingValues } from './values.ts'

/**
 * Runs the agent that Python code describes by model, tools and messages; returns the encoded answer.
 * @throws TypeError without a model of the host
 */
export async function runAgent(
  lent: readonly unknown[],
  given: Record<string, unknown>,
  ctx: ComponentContext,
): Promise<unknown> {
  const model = lent[Number(given['model'])]
  if (!isChatModel(model)) throw new TypeError('An agent needs a language model')
  const { question, max_iterations: limit, silent } = given
  const tools = listOf(given['tools']).map((number) => lent[Number(number)])
  const agent = {
    model: withSettings(model, readSettings(given['settings']), true),
    messages: listOf(given['messages']).filter(isObject).map(toChatMessage),
    question: typeof question === 'string' ? question : '',
    tools: tools.filter(isTool),
    maxIterations: typeof limit === 'number' ? limit : 15,
    handleParsingErrors: given['handle_parsing_errors'] !== false,
    silent: silent === true,
  }
  return new OutgoingValues().encode(await whileHoldingSlot(() => answerWithTools(agent, ctx)))
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
