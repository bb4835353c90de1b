import { finishCooperatively, mapSteps } from '@x/wire'
import { OutputMethodError } from '@x/flow-engine/internal'
import { cellOf, type Row } from '@x/flow-engine/internal'
import { isDataFrame, type DataFrame } from '@x/flow-engine'
import { toLiteralText } from '@x/flow-engine/internal'
import type { ChatModel } from '@x/flow-engine'
import { inParallel } from '../../web/in-parallel.ts'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { nameOfType } from '@x/flow-engine/internal'
import { wholeAnswer } from '@x/flow-engine/internal'
import { output } from '@x/flow-engine'
import { pickedChatModel, pickerAddressFields } from '@x/flow-engine/internal'

/** Maximum number of concurrent requests. */
const PARALLEL_REQUESTS = 16

const fields = {
  model: field.picker({ displayName: 'Language Model', as: 'model', required: true }),
  api_key: field.key({ displayName: 'API Key', newer: true }),
  ...pickerAddressFields,
  system_message: field.multiline({
    displayName: 'Instructions',
    info: 'System message of every request.',
  }),
  df: field.handle({
    displayName: 'DataFrame',
    types: ['DataFrame'],
    required: true,
    attributes: { _input_type: 'DataFrameInput', trace_as_input: true, tool_mode: false },
  }),
  column_name: field.text({
    displayName: 'Column Name',
    info: 'The column to send. If empty, the whole row.',
  }),
  output_column_name: field.text({
    displayName: 'Output Column Name',
    default: 'model_response',
    advanced: true,
  }),
  enable_metadata: field.bool({
    displayName: 'Enable Metadata',
    info: 'Add a column with metadata about each request.',
    default: false,
    advanced: true,
  }),
}

type BatchInputs = Values<typeof fields>

/** Asks a model about each row of a table. */
export const batchRun = defineComponent({
  type: 'BatchRunComponent',
  displayName: 'Batch Run',
  description: 'Asks a language model about every row of a table.',
  icon: 'List',
  category: 'llm_operations',
  module: 'lfx.components.llm_operations.batch_run.BatchRunComponent',
  inputs: fields,
  outputs: {
    batch_results: output.dataFrame({
      displayName: 'LLM Results',
      method: 'run_batch',
      async run(inputs, ctx) {
        const { df, column_name: column } = inputs
        if (!isDataFrame(df)) {
          throw new OutputMethodError(`Expected DataFrame input, got ${nameOfType(df)}`)
        }
        requireColumn(df, column)
        const model = await pickedChatModel(inputs, ctx)
        const answers = await inParallel(
          df.rows,
          { limit: PARALLEL_REQUESTS, signal: ctx.signal },
          async (row, signal) => ask(await rowText(row, df, column), signal, { ...inputs, model }),
        )
        ctx.log('Requests', answers.length)
        return await finishCooperatively(
          mapSteps(df.rows, (row, at) => resultRow({ row, at, answer: answers[at] ?? '' }, inputs)),
        )
      },
    }),
  },
})

function requireColumn(df: DataFrame, column: string): void {
  if (column === '' || df.columns.includes(column)) return
  throw new TypeError(
    `Column '${column}' not found in the DataFrame. Available columns: ${df.columns.join(', ')}`,
  )
}

/** Returns one column as text, or the whole row as TOML with a table for each column. */
async function rowText(row: Row, df: DataFrame, column: string): Promise<string> {
  if (column !== '') return toLiteralText(cellOf(row, column))
  const { stringify } = await import('smol-toml')
  const tables = df.columns.map((name) => [name, { value: toLiteralText(cellOf(row, name)) }])
  return stringify(Object.fromEntries(tables))
}

async function ask(
  text: string,
  signal: AbortSignal,
  inputs: BatchInputs & { readonly model: ChatModel },
): Promise<string> {
  const { system_message: system, model } = inputs
  const messages = [
    ...(system === '' ? [] : [{ role: 'system' as const, content: system }]),
    { role: 'user' as const, content: text },
  ]
  return (await wholeAnswer(model.stream({ messages, stream: false, signal }))).text
}

interface Answered {
  readonly row: Row
  readonly at: number
  readonly answer: string
}

function resultRow({ row, at, answer }: Answered, inputs: BatchInputs): Row {
  const result = { ...row, [inputs.output_column_name]: answer, batch_index: at }
  return inputs.enable_metadata ? { ...result, metadata: metadataOf(result, inputs) } : result
}

/** Lengths refer to the columns `text_input` and `model_response`, because flows rely on it. */
function metadataOf(result: Row, { system_message: system }: BatchInputs): Row {
  return {
    has_system_message: system !== '',
    input_length: textLength(result, 'text_input'),
    response_length: textLength(result, 'model_response'),
    processing_status: 'success',
  }
}

function textLength(row: Row, column: string): number {
  const cell = cellOf(row, column)
  return typeof cell === 'string' ? Array.from(cell).length : 0
}
