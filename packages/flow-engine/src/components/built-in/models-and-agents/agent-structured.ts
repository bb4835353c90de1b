import { isObject } from '@x/wire'
import { errorText } from '../../../errors.ts'
import { readText } from '../../../graph/values/message.ts'
import type { ChatModel, Tool } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { firstModelJson } from '../../../graph/values/read-model-json.ts'
import { wholeAnswer } from '../../chat/model-answer.ts'
import {
  readRecord,
  readSchemaFields,
  structuredSchema,
  type SchemaField,
} from '../../chat/structured-schema.ts'
import { runAgentLoop } from './agent-loop.ts'
import { startAgentMessage } from './agent-message.ts'
import { agentMessages, systemMessages, type AgentInputs } from './agent-messages.ts'
import { buildAgentModel } from './agent-model.ts'
import { offeredTools } from './agent-tools.ts'

const NAME = 'OutputModel'

/** Returns the agent's answer as data of a schema. Errors are returned in the data. */
export async function structuredAnswer(
  inputs: AgentInputs,
  ctx: ComponentContext,
): Promise<Record<string, unknown>> {
  const text = inputs.input_value === null ? '' : await readText(inputs.input_value.text)
  if (inputs.output_schema.length === 0) return { content: text }
  try {
    const fields = readSchemaFields(inputs.output_schema)
    const model = await buildAgentModel(inputs, ctx)
    const tools = offeredTools(inputs, ctx)
    const schema = schemaOf(fields)
    const answer =
      tools.length === 0
        ? await askOnce(inputs, { model, schema, text }, ctx)
        : await askAgent(inputs, { model, tools, schema }, ctx)
    return readAnswer(answer, fields)
  } catch (error) {
    ctx.signal.throwIfAborted()
    return { content: '', error: errorText(error) }
  }
}

interface WrappedSchema {
  readonly key: string
  readonly schema: object
}

function schemaOf(fields: readonly SchemaField[]): WrappedSchema {
  const key = fields.some(({ name }) => name === 'objects') ? 'objects_' : 'objects'
  return { key, schema: structuredSchema(NAME, fields, { strict: true, key }) }
}

async function askOnce(
  inputs: AgentInputs,
  { model, schema: { schema }, text }: { model: ChatModel; schema: WrappedSchema; text: string },
  ctx: ComponentContext,
): Promise<string> {
  const messages = [
    ...systemMessages(inputs.system_prompt, model, ctx),
    { role: 'user' as const, content: text },
  ]
  const request = { messages, responseFormat: { name: NAME, schema }, signal: ctx.signal }
  return (await wholeAnswer(model.stream({ ...request, stream: false }))).text
}

async function askAgent(
  inputs: AgentInputs,
  {
    model,
    tools,
    schema: { schema },
  }: { model: ChatModel; tools: readonly Tool[]; schema: WrappedSchema },
  ctx: ComponentContext,
): Promise<string> {
  const prompt = [
    inputs.system_prompt,
    `Format instructions: ${inputs.format_instructions}`,
    `Answer with JSON of this schema and nothing else. Schema: ${JSON.stringify(schema)}`,
  ].join('\n\n')
  const { messages } = await agentMessages({ ...inputs, system_prompt: prompt }, model, ctx)
  const shown = await startAgentMessage(ctx, { contextId: inputs.context_id, silent: true })
  const { text } = await runAgentLoop({
    ctx,
    model,
    messages,
    tools,
    shown,
    maxIterations: inputs.max_iterations,
    handleParsingErrors: inputs.handle_parsing_errors,
  })
  return text
}

/** Reads the records from the first JSON in the answer: wrapped, single, or as a list. */
function readAnswer(answer: string, fields: readonly SchemaField[]): Record<string, unknown> {
  const found = firstModelJson(answer)
  if (found === undefined) return { content: answer, error: 'Try setting an output schema' }
  const records = recordsOf(found, fields).map((record) => checked(record, fields))
  const [only, ...others] = records
  if (only === undefined) return { content: answer, error: 'Try setting an output schema' }
  return others.length === 0 ? only : { results: records }
}

function recordsOf(found: unknown, fields: readonly SchemaField[]): readonly unknown[] {
  if (Array.isArray(found)) return found
  if (isObject(found)) {
    const { key } = schemaOf(fields)
    const wrapped = found[key] ?? (Object.keys(found).length === 1 ? found.objects : undefined)
    if (Array.isArray(wrapped)) return wrapped
  }
  return [found]
}

function checked(record: unknown, fields: readonly SchemaField[]): Record<string, unknown> {
  try {
    return readRecord(record, fields)
  } catch (error) {
    return { data: record, validation_error: errorText(error) }
  }
}
