import { isObject } from '@x/wire'
import { createData } from '@x/flow-engine'
import { readModelJson } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { readSource } from './read-source.ts'

/** Reads a JSON file or text as Data; a list gives one Data per item. */
export const jsonToData = defineComponent({
  type: 'JSONtoData',
  displayName: 'Load JSON',
  description: 'Reads a JSON file or text.',
  icon: 'braces',
  category: 'data_source',
  module: 'lfx.components.data_source.json_to_data.JSONToDataComponent',
  legacy: true,
  replacement: ['data.File'],
  inputs: {
    json_file: field.file({ displayName: 'JSON File', extensions: ['json'] }),
    json_path: field.text({ displayName: 'JSON File Path', info: 'Name of a stored file.' }),
    json_string: field.multiline({ displayName: 'JSON String' }),
  },
  outputs: {
    data: output.any({
      displayName: 'Data',
      method: 'convert_json_to_data',
      types: ['Data'],
      async run({ json_file, json_path, json_string }, ctx) {
        const source = {
          files: json_file,
          path: json_path,
          text: json_string,
          kind: 'JSON',
        } as const
        const text = await readSource(source, ctx)
        const read = repaired(text)
        const data = Array.isArray(read) ? read.map(toRow) : toRow(read)
        ctx.status(data)
        return data
      },
    }),
  },
})

function repaired(text: string): unknown {
  try {
    return readModelJson(text)
  } catch (cause) {
    throw new TypeError('The text is not JSON and cannot be repaired', { cause })
  }
}

function toRow(value: unknown) {
  return createData(isObject(value) ? value : { value })
}
