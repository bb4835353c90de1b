import { toDataFrame } from '@x/flow-engine'
import { createDataFrame, isDataFrame, type DataFrame } from '@x/flow-engine'
import { chosenInEditor, showFieldsOf } from './chosen-operation.ts'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { concatenateFrames, mergeFrames } from './combine-frames.ts'
import {
  addColumn,
  dropColumn,
  dropDuplicates,
  filterRows,
  headRows,
  renameColumn,
  replaceValue,
  selectColumns,
  sortRows,
  tailRows,
} from './frame-operations.ts'

const hidden = { dynamic: true, show: false } as const

const OFFERED = [
  { name: 'Add Column', icon: 'plus' },
  { name: 'Drop Column', icon: 'minus' },
  { name: 'Filter', icon: 'filter' },
  { name: 'Head', icon: 'arrow-up' },
  { name: 'Rename Column', icon: 'pencil' },
  { name: 'Replace Value', icon: 'replace' },
  { name: 'Select Columns', icon: 'columns' },
  { name: 'Sort', icon: 'arrow-up-down' },
  { name: 'Tail', icon: 'arrow-down' },
  { name: 'Drop Duplicates', icon: 'copy-x' },
]

/** Operations on tables. */
export const TABLE_OPERATIONS = [
  ...OFFERED,
  { name: 'Concatenate', icon: 'combine' },
  { name: 'Merge', icon: 'merge' },
]

/** The fields of all operations on one table, hidden until an operation is selected. */
export const tableFields = {
  column_name: field.string({ displayName: 'Column Name', ...hidden }),
  filter_value: field.text({ displayName: 'Filter Value', ...hidden }),
  filter_operator: field.dropdown({
    closed: true,
    displayName: 'Filter Operator',
    options: [
      'equals',
      'not equals',
      'contains',
      'not contains',
      'starts with',
      'ends with',
      'greater than',
      'less than',
    ],
    default: 'equals',
    ...hidden,
  }),
  ascending: field.bool({ displayName: 'Sort Ascending', default: true, ...hidden }),
  new_column_name: field.string({ displayName: 'New Column Name', ...hidden }),
  new_column_value: field.text({ displayName: 'New Column Value', ...hidden }),
  columns_to_select: field.string({ displayName: 'Columns to Select', list: true, ...hidden }),
  num_rows: field.int({ displayName: 'Number of Rows', default: 5, ...hidden }),
  replace_value: field.text({ displayName: 'Value to Replace', ...hidden }),
  replacement_value: field.text({ displayName: 'Replacement Value', ...hidden }),
}

/** The fields of Merge. */
export const joinFields = {
  left_dataframe: field.dataFrame({ displayName: 'Left Table', newer: true, ...hidden }),
  right_dataframe: field.dataFrame({ displayName: 'Right Table', newer: true, ...hidden }),
  merge_on_column: field.string({ displayName: 'Merge On Column', newer: true, ...hidden }),
  merge_how: field.dropdown({
    closed: true,
    displayName: 'Merge Type',
    options: ['inner', 'outer', 'left', 'right'],
    default: 'inner',
    newer: true,
    ...hidden,
  }),
}

/** Changes a table by one operation. */
export const dataFrameOperations = defineComponent({
  type: 'DataFrameOperations',
  displayName: 'DataFrame Operations',
  description: 'Filters, sorts or reshapes a table.',
  icon: 'table',
  category: 'processing',
  module: 'lfx.components.processing.dataframe_operations.DataFrameOperationsComponent',
  inputs: {
    df: field.handle({
      displayName: 'DataFrame',
      types: ['DataFrame'],
      required: true,
      attributes: { _input_type: 'DataFrameInput', trace_as_input: true, tool_mode: false },
    }),
    operation: field.sortableList({
      closed: true,
      aliases: { Concatenate: 'Concatenate', Merge: 'Merge' },
      displayName: 'Operation',
      placeholder: 'Select Operation',
      options: OFFERED,
      limit: 1,
      refresh: true,
    }),
    ...tableFields,
    ...joinFields,
  },
  outputs: {
    output: output.dataFrame({
      displayName: 'DataFrame',
      method: 'perform_operation',
      run: ({ df, operation, ...inputs }) =>
        changeTable(operation[0]?.name ?? '', { ...inputs, frames: framesOf(df) }),
    }),
  },
  refresh(template, name, value) {
    if (name === 'operation') showFieldsOf(template, chosenInEditor(value), TABLE_FIELDS)
  },
})

/** Converts edge values to tables; rows received separately form one table. */
export function framesOf(value: unknown): DataFrame[] {
  if (value === null || value === undefined || value === '') return []
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length === 0) return []
  return list.some(isDataFrame) ? list.map(toDataFrame) : [toDataFrame(value)]
}

/**
 * Applies an operation to a table; without an operation, returns the table unchanged.
 * @throws TypeError for an unknown operation, and the operation's errors
 */
export function changeTable(
  name: string,
  { frames, ...inputs }: OperationInputs & { readonly frames: readonly DataFrame[] },
): DataFrame | Promise<DataFrame> {
  if (name === 'Concatenate') return concatenateFrames(frames)
  if (name === 'Merge') return merge(frames, inputs)
  const frame = frames[0] ?? createDataFrame([])
  if (name === '') return frame
  const perform = OPERATIONS.get(name)
  if (perform === undefined) throw new TypeError(`Unsupported operation: ${name}`)
  return perform(frame, inputs)
}

/** Merges the tables from the Left Table and Right Table fields, else the first two connected tables. */
async function merge(frames: readonly DataFrame[], inputs: OperationInputs): Promise<DataFrame> {
  const [first, second] = frames
  const left = inputs.left_dataframe ?? first
  const right = inputs.right_dataframe ?? (inputs.left_dataframe === null ? second : first)
  if (left === undefined || right === undefined) {
    throw new TypeError('Merge needs two tables: connect one to Left Table and one to Right Table')
  }
  return mergeFrames(left, right, { column: inputs.merge_on_column, how: inputs.merge_how })
}

interface OperationInputs {
  readonly column_name: string
  readonly filter_value: string
  readonly filter_operator: string
  readonly ascending: boolean
  readonly new_column_name: string
  readonly new_column_value: string
  readonly columns_to_select: readonly string[]
  readonly num_rows: number
  readonly replace_value: string
  readonly replacement_value: string
  readonly left_dataframe: DataFrame | null
  readonly right_dataframe: DataFrame | null
  readonly merge_on_column: string
  readonly merge_how: string
  /** True if a numeric string equals the number. */
  readonly numbers?: boolean
}

type Operation = (df: DataFrame, inputs: OperationInputs) => DataFrame | Promise<DataFrame>

const OPERATIONS = new Map<string, Operation>([
  ['Add Column', (df, inputs) => addColumn(df, inputs.new_column_name, inputs.new_column_value)],
  ['Drop Column', (df, inputs) => dropColumn(df, inputs.column_name)],
  [
    'Filter',
    (df, inputs) =>
      filterRows(df, {
        column: inputs.column_name,
        operator: inputs.filter_operator,
        value: inputs.filter_value,
        numbers: inputs.numbers,
      }),
  ],
  ['Head', (df, inputs) => headRows(df, inputs.num_rows)],
  ['Rename Column', (df, inputs) => renameColumn(df, inputs.column_name, inputs.new_column_name)],
  [
    'Replace Value',
    (df, inputs) =>
      replaceValue(df, {
        column: inputs.column_name,
        value: inputs.replace_value,
        replacement: inputs.replacement_value,
        numbers: inputs.numbers,
      }),
  ],
  ['Select Columns', (df, inputs) => selectColumns(df, inputs.columns_to_select)],
  ['Sort', (df, inputs) => sortRows(df, inputs.column_name, inputs.ascending)],
  ['Tail', (df, inputs) => tailRows(df, inputs.num_rows)],
  ['Drop Duplicates', (df, inputs) => dropDuplicates(df, inputs.column_name)],
])

/** The fields used by each operation. */
export const TABLE_FIELDS = new Map([
  ['Add Column', ['new_column_name', 'new_column_value']],
  ['Drop Column', ['column_name']],
  ['Filter', ['column_name', 'filter_value', 'filter_operator']],
  ['Head', ['num_rows']],
  ['Rename Column', ['column_name', 'new_column_name']],
  ['Replace Value', ['column_name', 'replace_value', 'replacement_value']],
  ['Select Columns', ['columns_to_select']],
  ['Sort', ['column_name', 'ascending']],
  ['Tail', ['num_rows']],
  ['Drop Duplicates', ['column_name']],
  ['Concatenate', []],
  ['Merge', ['left_dataframe', 'right_dataframe', 'merge_on_column', 'merge_how']],
])
