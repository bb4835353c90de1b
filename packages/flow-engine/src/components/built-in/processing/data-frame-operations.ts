import type { DataFrame } from '../../../graph/values/data-frame.ts'
import { chosenInEditor, showFieldsOf } from '../../node/chosen-operation.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'
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

/** Changes a table by one operation (CO-60). */
export const dataFrameOperations = defineComponent({
  type: 'DataFrameOperations',
  displayName: 'DataFrame Operations',
  description: 'Filters, sorts or reshapes a table.',
  icon: 'table',
  category: 'processing',
  module: 'lfx.components.processing.dataframe_operations.DataFrameOperationsComponent',
  inputs: {
    df: field.dataFrame({ displayName: 'DataFrame', required: true }),
    operation: field.sortableList({
      displayName: 'Operation',
      placeholder: 'Select Operation',
      options: [
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
      ],
      limit: 1,
      refresh: true,
    }),
    column_name: field.string({ displayName: 'Column Name', ...hidden }),
    filter_value: field.text({ displayName: 'Filter Value', ...hidden }),
    filter_operator: field.dropdown({
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
  },
  outputs: {
    output: output.dataFrame({
      displayName: 'DataFrame',
      method: 'perform_operation',
      run({ df, operation, ...inputs }) {
        const name = operation[0]?.name ?? ''
        if (name === '') return df
        const perform = OPERATIONS.get(name)
        if (perform === undefined) throw new TypeError(`Unsupported operation: ${name}`)
        return perform(df, inputs)
      },
    }),
  },
  refresh(template, name, value) {
    if (name === 'operation') showFieldsOf(template, chosenInEditor(value), FIELDS)
  },
})

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
      }),
  ],
  ['Select Columns', (df, inputs) => selectColumns(df, inputs.columns_to_select)],
  ['Sort', (df, inputs) => sortRows(df, inputs.column_name, inputs.ascending)],
  ['Tail', (df, inputs) => tailRows(df, inputs.num_rows)],
  ['Drop Duplicates', (df, inputs) => dropDuplicates(df, inputs.column_name)],
])

/** The fields each operation reads. */
const FIELDS = new Map([
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
])
