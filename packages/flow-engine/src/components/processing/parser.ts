import { isRecord, toText } from '../../graph/values/convert.ts'
import { createData, isData, type Data } from '../../graph/values/data.ts'
import { isDataFrame, type DataFrame } from '../../graph/values/data-frame.ts'
import { isMessage } from '../../graph/values/message.ts'
import { messageFields } from '../../graph/values/message-json.ts'
import { defineComponent } from '../define.ts'
import { kindOf } from '../field-values.ts'
import { field } from '../field.ts'
import { formatBySpec } from '../format-spec.ts'
import { parseTemplate, type TemplatePart } from '../format-template.ts'
import { output } from '../output.ts'

const cleanData = field.bool({
  displayName: 'Clean Data',
  default: true,
  advanced: true,
  info: 'Leave out empty rows and blank cells of tables.',
})

/** Data and tables as text, by a pattern or as they are (CO-36). */
export const parser = defineComponent({
  type: 'ParserComponent',
  displayName: 'Parser',
  description: 'Turns data or a table into text.',
  icon: 'braces',
  category: 'processing',
  module: 'lfx.components.processing.parser.ParserComponent',
  aliases: ['parser'],
  inputs: {
    input_data: field.handle({
      displayName: 'Data or DataFrame',
      required: true,
      types: ['DataFrame', 'Data'],
    }),
    mode: field.tab({
      displayName: 'Mode',
      default: 'Parser',
      refresh: true,
      options: ['Parser', 'Stringify'],
    }),
    pattern: field.multiline({
      displayName: 'Template',
      default: 'Text: {text}',
      required: true,
      dynamic: true,
      info: 'Each {column} or {key} is replaced by its value.',
    }),
    sep: field.text({
      displayName: 'Separator',
      default: '\n',
      advanced: true,
      info: 'Between the texts of rows.',
    }),
  },
  outputs: {
    parsed_text: output.message({
      displayName: 'Parsed Text',
      method: 'parse_combined_text',
      run(inputs, ctx) {
        const further: Readonly<Record<string, unknown>> = inputs
        const text =
          inputs.mode === 'Stringify'
            ? stringify(inputs.input_data, further.clean_data === true)
            : parse(inputs.input_data, inputs.pattern, inputs.sep)
        ctx.status(text)
        return text
      },
    }),
  },
  refresh(template, name, value, ctx) {
    if (name !== 'mode') return
    const { pattern } = template
    if (pattern !== undefined) {
      pattern.show = value === 'Parser'
      pattern.required = value === 'Parser'
    }
    template.clean_data = ctx.field('clean_data', cleanData)
  },
})

function stringify(value: unknown, clean: boolean): string {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value]
  return items.map((item) => toText(item, { cleanData: clean })).join('\n')
}

function parse(value: unknown, pattern: string, separator: string): string {
  if (Array.isArray(value)) throw new TypeError('List of Data objects is not supported.')
  const parts = parseTemplate(pattern)
  if (isDataFrame(value)) return parseFrame(value, parts, separator)
  const data = dataOf(value)
  return parts.map((part) => part.text + filled(part, data.data, data.defaultValue)).join('')
}

function parseFrame(frame: DataFrame, parts: readonly TemplatePart[], separator: string): string {
  return frame.rows
    .map((row) => parts.map((part) => part.text + filled(part, row, undefined)).join(''))
    .join(separator)
}

function dataOf(value: unknown): Data {
  if (isData(value)) return value
  if (isMessage(value)) return createData(messageFields(value))
  if (isRecord(value) && isRecord(value.data)) return createData(value.data)
  throw new TypeError(`Unsupported input type: ${kindOf(value)}. Expected DataFrame or Data.`)
}

/** @param fallback of a missing key; undefined makes it an error */
function filled(
  { name, target, path, spec }: TemplatePart,
  values: Readonly<Record<string, unknown>>,
  fallback: string | undefined,
): string {
  if (name === undefined) return ''
  if (!Object.hasOwn(values, name)) {
    if (fallback === undefined) throw new TypeError(`Column '${name}' is not in the DataFrame`)
    return fallback
  }
  const value = path.reduce<unknown>((at, step) => stepInto(at, step, target ?? name), values[name])
  return formatBySpec(value, spec)
}

/** `[key]` of an object or list; attributes are refused. */
function stepInto(value: unknown, step: string, target: string): unknown {
  if (step.startsWith('.')) throw new SyntaxError(`{${target}}: attributes are not allowed`)
  if (Array.isArray(value) && /^\d+$/.test(step)) return value[Number(step)] as unknown
  if (isRecord(value) && Object.hasOwn(value, step)) return value[step]
  throw new TypeError(`{${target}}: there is no key ${step}`)
}
