import { toText } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { dataRows } from './data-rows.ts'

const OPERATIONS = ['Concatenate', 'Append', 'Merge', 'Join']

/** Combines two or more Data into a table. */
export const mergeData = defineComponent({
  type: 'MergeDataComponent',
  displayName: 'Combine Data',
  description: 'Combines two or more Data into a table.',
  icon: 'merge',
  category: 'processing',
  module: 'lfx.components.processing.merge_data.MergeDataComponent',
  legacy: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    data_inputs: field.handle({
      displayName: 'Data Inputs',
      types: ['Data'],
      list: true,
      required: true,
    }),
    operation: field.dropdown({
      displayName: 'Operation Type',
      options: OPERATIONS,
      default: 'Concatenate',
    }),
  },
  outputs: {
    combined_data: output.dataFrame({
      displayName: 'DataFrame',
      method: 'combine_data',
      run({ data_inputs, operation }) {
        const rows = dataRows(data_inputs, '"Data Inputs" (data_inputs)').map(({ data }) => data)
        if (rows.length < 2) throw new TypeError('Combine Data needs at least two Data inputs.')
        return createDataFrame(combine(rows, operation))
      },
    }),
  },
})

function combine(rows: readonly Row[], operation: string): Row[] {
  switch (operation) {
    case 'Append':
      return [...rows]
    case 'Concatenate':
      return [
        gather(rows, (values) => (values.length > 1 ? values.map(textOf).join('\n') : values[0])),
      ]
    case 'Merge':
      return [gather(rows, (values) => (values.length > 1 ? values : values[0]))]
    case 'Join':
      return [join(rows)]
    default:
      throw new TypeError(
        `Operation Type must be one of ${OPERATIONS.join(', ')}, got '${operation}'`,
      )
  }
}

/** Combines the values of each key with `merge`. */
function gather(rows: readonly Row[], merge: (values: unknown[]) => unknown): Row {
  const found = new Map<string, unknown[]>()
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) {
      const values = found.get(key)
      if (values === undefined) found.set(key, [value])
      else values.push(value)
    }
  }
  return Object.fromEntries([...found].map(([key, values]) => [key, merge(values)]))
}

/** Keeps the keys of the first Data and numbers those of the others. */
function join(rows: readonly Row[]): Row {
  return Object.fromEntries(
    rows.flatMap((row, at) =>
      Object.entries(row).map(([key, value]) => [at === 0 ? key : `${key}_doc${at + 1}`, value]),
    ),
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : toText(value)
}
