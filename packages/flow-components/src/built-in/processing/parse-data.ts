import { isObject } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { formatPlace } from '@x/flow-engine/internal'
import {
  fillTemplate,
  parseTemplate,
  type WorkCounter,
  type TemplatePart,
} from '@x/flow-engine/internal'
import { output } from '@x/flow-engine'
import { dataRows } from './data-rows.ts'

/** Formats each Data with a template. */
export const parseData = defineComponent({
  type: 'ParseData',
  displayName: 'Data to Message',
  description: 'Formats data as text with a template.',
  icon: 'message-square',
  category: 'processing',
  module: 'lfx.components.processing.parse_data.ParseDataComponent',
  legacy: true,
  inputs: {
    data: field.handle({ displayName: 'Data', types: ['Data'], required: true, list: true }),
    template: field.multiline({ displayName: 'Template', default: '{text}', required: true }),
    sep: field.string({ displayName: 'Separator', default: '\n', advanced: true }),
  },
  outputs: {
    text: output.message({
      displayName: 'Message',
      method: 'parse_data',
      async run({ data, template, sep }, ctx) {
        const separator = sep.replaceAll('\\n', '\n')
        const text = (await lines(data, template, separator)).join(separator)
        ctx.status(text)
        return text
      },
    }),
    data_list: output.list({
      displayName: 'Data List',
      method: 'parse_data_as_list',
      async run({ data, template }) {
        const texts = await lines(data, template)
        return dataRows(data, '"Data" (data)').map((row, at) =>
          createData({ ...row.data, text: texts[at] ?? '' }),
        )
      },
    }),
  },
})

async function lines(
  data: readonly unknown[],
  template: string,
  separator = '',
): Promise<string[]> {
  const parts = parseTemplate(template)
  return fillTemplate(parts, dataRows(data, '"Data" (data)'), filled, separator)
}

/** An unknown key is empty; `{data}` is the whole object. */
function filled(part: TemplatePart, { data }: Data, spend: WorkCounter): string {
  const { name, path } = part
  if (name === undefined) return ''
  const known = Object.hasOwn(data, name)
  const start: unknown = known ? data[name] : name === 'data' ? data : ''
  const value = path.reduce<unknown>((at, step) => {
    return isObject(at) && Object.hasOwn(at, step) ? at[step] : ''
  }, start)
  return formatPlace(value, part, spend)
}
