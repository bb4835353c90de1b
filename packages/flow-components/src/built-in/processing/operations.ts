import type { ComponentContext, SortableOption } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { chosenInEditor, chosenOperation, showFieldsOf } from './chosen-operation.ts'
import { output } from '@x/flow-engine'
import type { NodeTemplate } from '@x/flow-engine'
import { toData, toDataFrame } from '@x/flow-engine'
import { toMessageInTurns } from '@x/flow-engine/internal'
import { isData, type Data } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { oncePerBuild } from '@x/flow-engine/internal'
import {
  changeTable,
  framesOf,
  joinFields,
  TABLE_FIELDS,
  TABLE_OPERATIONS,
  tableFields,
} from './data-frame-operations.ts'
import {
  changeData,
  changeFields,
  DATA_FIELDS,
  DATA_OPERATIONS,
  offerPaths,
  selectFields,
} from './data-operations.ts'
import {
  asObject,
  asTable,
  formatChanged,
  changeText,
  TEXT_FIELDS,
  TEXT_OPERATIONS,
  textFields,
} from './text-operations.ts'

/** Changes text, a data object or a table by one operation. */
export const operations = defineComponent({
  type: 'Operations',
  displayName: 'Data Operations',
  description: 'Changes text, a data object or a table.',
  icon: 'wand-sparkles',
  category: 'processing',
  module: 'lfx.components.processing.operations.OperationsComponent',
  inputs: {
    input_type: field.tab({
      displayName: 'Input Type',
      options: ['Text', 'JSON', 'Table'],
      default: 'Text',
      refresh: true,
    }),
    text_input: field.multiline({ displayName: 'Text' }),
    data: field.data({ displayName: 'JSON', list: true, show: false }),
    df: field.handle({
      displayName: 'Table',
      types: ['DataFrame'],
      list: true,
      show: false,
      attributes: { _input_type: 'DataFrameInput', trace_as_input: true, tool_mode: false },
    }),
    operation: field.sortableList({
      closed: true,
      aliases: namesOf([...DATA_OPERATIONS, ...TABLE_OPERATIONS]),
      displayName: 'Operation',
      placeholder: 'Select Operation',
      options: TEXT_OPERATIONS,
      limit: 1,
      refresh: true,
    }),
    ...selectFields,
    ...changeFields,
    ...tableFields,
    ...joinFields,
    ...textFields,
  },
  outputs: {
    message_output: output.message({
      displayName: 'Message',
      method: 'as_message',
      run: async (inputs, ctx) => messageOf(await perform(inputs, ctx)),
    }),
    text_output: output.message({
      displayName: 'Text',
      method: 'as_text',
      dynamic: true,
      run: async (inputs, ctx) => messageOf(await perform(inputs, ctx)),
    }),
    data_output: output.data({
      displayName: 'JSON',
      method: 'as_data',
      dynamic: true,
      run: async (inputs, ctx) => dataOf(await perform(inputs, ctx)),
    }),
    dataframe_output: output.dataFrame({
      displayName: 'Table',
      method: 'as_dataframe',
      dynamic: true,
      run: async (inputs, ctx) => tableOf(await perform(inputs, ctx)),
    }),
  },
  refresh(template, name, value, ctx) {
    if (name === 'mapped_json_display') offerPaths(template, value)
    if (name !== 'operation' && name !== 'input_type') return undefined
    const kind = name === 'input_type' ? String(value) : String(template.input_type?.value)
    const operation = name === 'operation' ? chosenInEditor(value) : null
    if (name === 'input_type') showInput(template, kind)
    showFieldsOf(template, operation, FIELDS)
    return { template, outputs: outputNames(kind, operation).map((each) => ctx.output(each)) }
  },
})

type Inputs = Parameters<typeof changeText>[1] &
  Omit<Parameters<typeof changeData>[1], 'filter_key' | 'operator' | 'filter_values' | 'data'> &
  Omit<Parameters<typeof changeTable>[1], 'frames'> & {
    readonly input_type: string
    readonly operation: readonly SortableOption[]
    readonly data: readonly Data[]
    readonly df: unknown
  }

/** The options of the other kinds of input. */
function namesOf(options: readonly SortableOption[]): Record<string, string> {
  return Object.fromEntries(options.map(({ name }) => [name, name]))
}

/** This component has no filter by values. */
const NO_FILTER = { filter_key: [], operator: 'equals', filter_values: {} }

/** Applies the operation to the input of the selected kind, once for all outputs of a build. */
const perform = oncePerBuild(async (inputs: Inputs, ctx: ComponentContext) => {
  const name = chosenOperation(inputs.operation)
  if (inputs.input_type === 'JSON') {
    if (inputs.data.length > 1 && name !== null && name !== 'Combine') {
      throw new TypeError(
        `${name} operation is not supported for multiple data objects. Connect one JSON input, or use Combine.`,
      )
    }
    return { kind: 'data', value: toData(await changeData(name, { ...inputs, ...NO_FILTER }, ctx)) }
  }
  if (inputs.input_type !== 'Table') return { kind: 'text', value: await changeText(name, inputs) }
  const frames = name === null ? [] : framesOf(inputs.df)
  const value = await changeTable(name ?? '', { ...inputs, frames, numbers: true })
  return { kind: 'table', value: name === null ? createDataFrame([], []) : value }
})

type Performed = Awaited<ReturnType<typeof perform>>

const messageOf = async ({ value }: Performed) =>
  isData(value) ? await toMessageInTurns(value) : await formatChanged(value)
const dataOf = ({ value }: Performed) => (isData(value) ? value : asObject(value))
const tableOf = ({ value }: Performed) => (isData(value) ? toDataFrame(value) : asTable(value))

const INPUTS = new Map([
  ['Text', { field: 'text_input', options: TEXT_OPERATIONS }],
  ['JSON', { field: 'data', options: DATA_OPERATIONS }],
  ['Table', { field: 'df', options: TABLE_OPERATIONS }],
])
const FIELDS = new Map([...TEXT_FIELDS, ...DATA_FIELDS, ...TABLE_FIELDS])

/** Shows the input of a kind and offers its operations; clears an operation of another kind. */
function showInput(template: NodeTemplate, kind: string): void {
  for (const [each, { field: name, options }] of INPUTS) {
    const shown = each === kind
    if (template[name] !== undefined) template[name].show = shown
    if (shown && template.operation !== undefined) {
      template.operation.options = [...options]
      template.operation.value = []
    }
  }
}

/** Returns the outputs for the result of an operation. */
function outputNames(kind: string, operation: string | null): string[] {
  if (kind === 'JSON' || operation === 'Word Count') return ['data_output']
  if (kind === 'Table' || operation === 'Text to DataFrame') return ['dataframe_output']
  return operation === 'Text Join' ? ['text_output', 'message_output'] : ['message_output']
}
