import { errorText } from '../../../errors.ts'
import { createData } from '../../../graph/values/data.ts'
import { readModelJson } from '../../../graph/values/read-model-json.ts'
import { isChatModel, type ChatMessage, type ChatModel } from '../../../models/chat-model.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { wholeAnswer } from '../../chat/model-answer.ts'
import { schemaColumns } from '../models-and-agents/schema-columns.ts'
import { output } from '../../define/output.ts'
import {
  pickedChatModel,
  pickerAddressFields,
  type PickerInputs,
} from '../../chat/picker-fields.ts'
import {
  readSchemaFields,
  readStructured,
  structuredSchema,
  type SchemaField,
} from '../../chat/structured-schema.ts'

/** Extracts objects from text according to a schema. */
export const structuredOutput = defineComponent({
  type: 'StructuredOutput',
  displayName: 'Structured Output',
  description: 'Extracts structured data from text with a language model.',
  icon: 'braces',
  category: 'llm_operations',
  module: 'lfx.components.llm_operations.structured_output.StructuredOutputComponent',
  inputs: {
    llm: field.handle({
      displayName: 'Language Model',
      types: ['LanguageModel'],
      attributes: { required: true },
    }),
    model: field.picker({ displayName: 'Language Model', newer: true, refresh: true }),
    api_key: field.key({ displayName: 'API Key', newer: true }),
    ...pickerAddressFields,
    input_value: field.multiline({
      displayName: 'Input Message',
      required: true,
      toolMode: true,
      info: 'The text to read.',
    }),
    system_prompt: field.multiline({
      displayName: 'Format Instructions',
      required: true,
      advanced: true,
      default:
        'Read the text and give its facts in the form of the schema. ' +
        'When the text holds several such objects, give each of them once. ' +
        'Leave empty what the text does not say; invent nothing.',
    }),
    schema_name: field.text({ displayName: 'Schema Name', advanced: true }),
    output_schema: field.table({
      displayName: 'Output Schema',
      required: true,
      columns: schemaColumns,
      default: [
        { name: 'field', description: 'description of field', type: 'str', multiple: 'False' },
      ],
    }),
  },
  outputs: {
    structured_output: output.data({
      displayName: 'Structured Output',
      method: 'build_structured_output',
      async run(inputs, ctx) {
        const [first, ...others] = await objectsFor(inputs, ctx)
        if (first === undefined) throw new TypeError('No structured output returned')
        return createData(others.length === 0 ? first : { results: [first, ...others] })
      },
    }),
    dataframe_output: output.dataFrame({
      displayName: 'Structured Output',
      method: 'build_structured_dataframe',
      run: (inputs, ctx) => rowsFor(inputs, ctx),
    }),
    // The output in nodes of versions 1.2 to 1.4 (NX-36).
    structured_output_dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'as_dataframe',
      dynamic: true,
      run: (inputs, ctx) => rowsFor(inputs, ctx),
    }),
  },
})

interface StructuredInputs extends PickerInputs {
  readonly llm: unknown
  readonly input_value: string
  readonly system_prompt: string
  readonly schema_name: string
  readonly output_schema: readonly Record<string, unknown>[]
}

interface Request {
  readonly model: ChatModel
  readonly name: string
  readonly fields: readonly SchemaField[]
  readonly messages: readonly ChatMessage[]
  readonly ctx: ComponentContext
}

async function rowsFor(
  inputs: StructuredInputs,
  ctx: ComponentContext,
): Promise<Record<string, unknown>[]> {
  const objects = await objectsFor(inputs, ctx)
  if (objects.length === 0) throw new TypeError('No structured output returned')
  return objects
}

/** Both outputs of a build share one answer. */
async function objectsFor(
  inputs: StructuredInputs,
  ctx: ComponentContext,
): Promise<Record<string, unknown>[]> {
  const key = `answer of build ${ctx.build}`
  const known = ctx.state.get(key)
  if (known !== undefined) return known as Promise<Record<string, unknown>[]>
  const asked = ask(inputs, ctx)
  ctx.state.set(key, asked)
  return asked
}

async function ask(
  inputs: StructuredInputs,
  ctx: ComponentContext,
): Promise<Record<string, unknown>[]> {
  const request: Request = {
    model: await modelOf(inputs, ctx),
    name: inputs.schema_name === '' ? 'OutputModel' : inputs.schema_name,
    fields: readSchemaFields(inputs.output_schema),
    messages: [
      { role: 'system', content: inputs.system_prompt },
      { role: 'user', content: inputs.input_value },
    ],
    ctx,
  }
  try {
    return await askByTool(request)
  } catch {
    ctx.signal.throwIfAborted()
    return askBySchema(request)
  }
}

/** Returns the picker's model, or the model connected in older nodes. */
function modelOf(inputs: StructuredInputs, ctx: ComponentContext): Promise<ChatModel> {
  const isOlder = ctx.inputType('model') === undefined && inputs.model === null
  if (!isOlder) return pickedChatModel(inputs, ctx)
  const { llm } = inputs
  if (!isChatModel(llm)) throw new TypeError('Language model does not support structured output.')
  return Promise.resolve(llm)
}

async function askByTool({ model, name, fields, messages, ctx }: Request) {
  const parameters = structuredSchema(name, fields)
  const { toolCalls } = await wholeAnswer(
    model.stream({
      messages,
      tools: [{ name, description: `A list of ${name}.`, parameters }],
      toolChoice: name,
      stream: false,
      signal: ctx.signal,
    }),
  )
  const call = toolCalls.find((made) => made.name === name)
  if (call === undefined) throw new TypeError(`The model did not call ${name}`)
  return readStructured(call.args, fields)
}

async function askBySchema({ model, name, fields, messages, ctx }: Request) {
  try {
    const schema = structuredSchema(name, fields, { strict: true })
    const { text } = await wholeAnswer(
      model.stream({
        messages,
        responseFormat: { name, schema },
        stream: false,
        signal: ctx.signal,
      }),
    )
    return readStructured(readModelJson(text), fields)
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(
      `Model does not support tool calling (trustcall failed) and fallback with_structured_output also failed: ${errorText(error)}`,
      { cause: error },
    )
  }
}
