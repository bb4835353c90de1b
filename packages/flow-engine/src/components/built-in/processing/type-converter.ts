import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { toData, toDataFrame, toMessageInTurns } from '../../../graph/values/convert.ts'
import { createData, type Data } from '../../../graph/values/data.ts'
import { createDataFrame, type DataFrame } from '../../../graph/values/data-frame.ts'
import { createMessage, isMessage } from '../../../graph/values/message.ts'
import { parseCsvTable } from '../../values/csv-table.ts'
import { defineComponent } from '../../define/define.ts'
import { field } from '../../define/field.ts'
import { output } from '../../define/output.ts'

const OUTPUTS = new Map([
  ['message', 'message_output'],
  ['data', 'data_output'],
  ['dataframe', 'dataframe_output'],
  ['json', 'data_output'],
  ['table', 'dataframe_output'],
])

/** Converts between Message, Data and DataFrame. */
export const typeConverter = defineComponent({
  type: 'TypeConverterComponent',
  displayName: 'Type Convert',
  description: 'Converts between message, data and table.',
  icon: 'repeat',
  category: 'processing',
  module: 'lfx.components.processing.converter.TypeConverterComponent',
  inputs: {
    input_data: field.handle({
      displayName: 'Input',
      types: ['Message', 'Data', 'DataFrame'],
      required: true,
    }),
    auto_parse: field.bool({
      displayName: 'Auto Parse',
      info: 'Parse the text of a message as JSON or CSV.',
      default: false,
      advanced: true,
    }),
    output_type: field.tab({
      displayName: 'Output Type',
      options: ['Message', 'Data', 'DataFrame'],
      aliases: { JSON: 'Data', Table: 'DataFrame' },
      default: 'Message',
      refresh: true,
    }),
  },
  outputs: {
    message_output: output.message({
      displayName: 'Message Output',
      method: 'convert_to_message',
      async run({ input_data }, ctx) {
        const message = await toMessageInTurns(firstOf(input_data))
        ctx.status(message)
        return message
      },
    }),
    data_output: output.data({
      displayName: 'Data Output',
      method: 'convert_to_data',
      dynamic: true,
      async run({ input_data, auto_parse }, ctx) {
        const value = firstOf(input_data)
        const data =
          auto_parse && isMessage(value) ? await parseStructure(value.text) : toData(value)
        ctx.status(data)
        return data
      },
    }),
    dataframe_output: output.dataFrame({
      displayName: 'DataFrame Output',
      method: 'convert_to_dataframe',
      dynamic: true,
      async run({ input_data, auto_parse }, ctx) {
        const value = firstOf(input_data)
        const frame =
          auto_parse && isMessage(value)
            ? frameOf(await parseStructure(value.text))
            : toDataFrame(value)
        ctx.status(frame)
        return frame
      },
    }),
  },
  refresh(_template, name, value, ctx) {
    const chosen =
      name === 'output_type' ? OUTPUTS.get(String(value).trim().toLowerCase()) : undefined
    return chosen === undefined ? undefined : { outputs: [ctx.output(chosen)] }
  },
})

/** Returns the first item of a list; a string becomes a message. */
function firstOf(given: unknown): unknown {
  const value: unknown = Array.isArray(given) ? given[0] : given
  return typeof value === 'string' ? createMessage(value) : value
}

/**
 * Parses the text of a message: a JSON object is used as is, a JSON list of objects or the rows of a CSV are
 * stored under `records`, and anything else unchanged under `text`.
 */
export async function parseStructure(given: string | AsyncIterable<string>): Promise<Data> {
  const whole = typeof given === 'string' ? given : ''
  const text = whole.replace(/^\uFEFF/, '').trim()
  const json = readJson(text)
  if (isObject(json)) return createData(json)
  if (Array.isArray(json) && json.every(isObject)) return createData({ records: json })
  return createData((await parseCsv(text)) ?? { text: whole })
}

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

async function parseCsv(text: string): Promise<{ records: unknown } | undefined> {
  const [head = '', second] = text.split('\n', 2)
  if (second === undefined || !head.includes(',')) return undefined
  try {
    return { records: (await parseCsvTable(text)).rows }
  } catch {
    // It only looked like a table, so the text is kept.
    return undefined
  }
}

function frameOf(data: Data): DataFrame {
  const { records } = data.data
  const rows = Array.isArray(records) ? records.filter(isObject) : null
  return rows === null ? toDataFrame(data) : createDataFrame(rows)
}
