import { createData, type Data } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { dataRows } from './data-rows.ts'

/** Keeps one key of Data, or of each Data in a list. */
export const extractKey = defineComponent({
  type: 'ExtractaKey',
  displayName: 'Extract Key',
  description: 'Keeps one key of Data, or of each Data in a list.',
  icon: 'key',
  category: 'processing',
  module: 'lfx.components.processing.extract_key.ExtractDataKeyComponent',
  legacy: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    data_input: field.handle({ displayName: 'Data Input', types: ['Data'] }),
    key: field.string({ displayName: 'Key to Extract' }),
  },
  outputs: {
    extracted_data: output.any({
      displayName: 'Extracted Data',
      method: 'extract_key',
      types: ['Data'],
      run({ data_input, key }, ctx) {
        const rows = dataRows(data_input, '"Data Input" (data_input)')
        const extracted = rows.map((row) => extract(row, key))
        const result = Array.isArray(data_input)
          ? extracted.filter((row) => row !== null)
          : extracted[0]
        ctx.status(result)
        return result ?? createData({ error: `Key '${key}' not found in the Data` })
      },
    }),
  },
})

function extract({ data }: Data, key: string): Data | null {
  return Object.hasOwn(data, key) ? createData({ [key]: data[key] }) : null
}
