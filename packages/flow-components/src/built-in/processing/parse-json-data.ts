import { isObject } from '@x/wire'
import { toPlain } from '@x/flow-engine/internal'
import { toText } from '@x/flow-engine'
import { createData, isData } from '@x/flow-engine'
import { readModelJson } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { queryJson } from './json-query.ts'

/** Returns the results of a jq expression on JSON text or Data. */
export const parseJsonData = defineComponent({
  type: 'ParseJSONData',
  displayName: 'Parse JSON',
  description: 'Extracts values from JSON with a jq expression.',
  icon: 'braces',
  category: 'processing',
  module: 'lfx.components.processing.parse_json_data.ParseJSONDataComponent',
  legacy: true,
  replacement: ['processing.ParserComponent'],
  inputs: {
    input_value: field.handle({
      displayName: 'Input',
      types: ['Message', 'Data'],
      required: true,
    }),
    query: field.text({ displayName: 'JQ Query', required: true }),
  },
  outputs: {
    filtered_data: output.list({
      displayName: 'Filtered Data',
      method: 'filter_data',
      async run({ input_value, query }, ctx) {
        const results = await queryJson(query, readInput(input_value), ctx)
        const rows = results.map((value) => createData(isObject(value) ? value : { result: value }))
        ctx.status(rows)
        return rows
      },
    }),
  },
})

/** @throws TypeError for text that is not JSON */
function readInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readInput)
  if (isData(value)) return toPlain(value)
  try {
    return readModelJson(toText(value))
  } catch (cause) {
    throw new TypeError('The input "Input" (input_value) is not JSON', { cause })
  }
}
