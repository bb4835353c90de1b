import { isObject } from '@x/wire'
import { toDataFrame, toTextInTurns } from '../../../graph/values/convert.ts'
import { createData, isData, type Data } from '../../../graph/values/data.ts'
import {
  columnMetadata,
  columnText,
  type ColumnMetadata,
} from '../../../graph/values/column-text.ts'
import { isDataFrame, type DataFrame, type Row } from '../../../graph/values/data-frame.ts'
import { isMessage } from '../../../graph/values/message.ts'
import { messageToFields } from '../../../graph/values/message-json.ts'
import type { ComponentContext } from '../../define/context.ts'
import { defineComponent } from '../../define/define.ts'
import { nameOfType } from '../../values/field-values.ts'
import { field } from '../../define/field.ts'
import { formatPlace } from '../../text/format-spec.ts'
import {
  fillOnce,
  fillTemplate,
  parseTemplate,
  type WorkCounter,
  type TemplatePart,
} from '../../text/format-template.ts'
import { output } from '../../define/output.ts'

const cleanData = field.bool({
  displayName: 'Clean Data',
  default: true,
  advanced: true,
  info: 'Remove empty rows and blank cells from tables.',
})

/** Converts Data and tables to text, with a template or unchanged. */
export const parser = defineComponent({
  type: 'ParserComponent',
  displayName: 'Parser',
  description: 'Converts data or a table to text.',
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
      info: 'Separator between the texts of rows.',
    }),
  },
  outputs: {
    parsed_text: output.message({
      displayName: 'Parsed Text',
      method: 'parse_combined_text',
      async run(inputs, ctx) {
        const further: Readonly<Record<string, unknown>> = inputs
        const text =
          inputs.mode === 'Stringify'
            ? await stringify(inputs.input_data, further.clean_data === true)
            : await parse(readable(inputs.input_data, ctx), inputs.pattern, inputs.sep)
        ctx.status(text)
        return text
      },
    }),
  },
  refresh(template, name, _value, ctx) {
    if (name !== 'mode') return
    // Uses the values as submitted, like the editor's own copy of the node.
    const { pattern, mode } = template
    const parses = ctx.held === 'Parser'
    if (mode !== undefined) mode.value = ctx.held
    if (pattern !== undefined) {
      pattern.show = parses
      pattern.required = parses
    }
    template.clean_data = ctx.field('clean_data', cleanData)
  },
})

async function stringify(value: unknown, clean: boolean): Promise<string> {
  if (!Array.isArray(value)) return await toTextInTurns(value)
  const texts: string[] = []
  for (const item of value as unknown[]) texts.push(await toTextInTurns(item, { cleanData: clean }))
  return texts.join('\n')
}

/**
 * Nodes since 1.9, whose handle type is JSON, accept a list of Data as rows; older ones reject it.
 */
function readable(value: unknown, ctx: ComponentContext): unknown {
  const isRows = Array.isArray(value) && value.every(isData)
  return isRows && ctx.handleTypes('input_data').includes('JSON') ? toDataFrame(value) : value
}

async function parse(value: unknown, pattern: string, separator: string): Promise<string> {
  if (Array.isArray(value)) throw new TypeError('List of Data objects is not supported.')
  const parts = parseTemplate(pattern)
  if (isDataFrame(value)) return parseFrame(value, parts, separator)
  const { data, defaultValue: fallback } = dataOf(value)
  const texts: Texts = new Map()
  return fillOnce(parts, (part, spend) => filled(part, { values: data, fallback, texts, spend }))
}

/** Integers in a column of decimals are written as `1.0`, missing numbers as `nan`. */
async function parseFrame(
  frame: DataFrame,
  parts: readonly TemplatePart[],
  separator: string,
): Promise<string> {
  const known = new Set(frame.columns)
  const columns = new Map<string, ColumnMetadata>()
  const texts: Texts = new Map()
  const fill = (part: TemplatePart, row: Row, spend: WorkCounter): string => {
    const { name } = part
    if (name !== undefined && known.has(name) && !columns.has(name)) {
      columns.set(name, columnMetadata(frame, name))
    }
    return filledCell(part, { values: row, texts, spend }, columns.get(name ?? ''))
  }
  return (await fillTemplate(parts, frame.rows, fill, separator)).join(separator)
}

function filledCell(part: TemplatePart, row: Filling, column: ColumnMetadata | undefined): string {
  const { name, path, spec } = part
  const plain = path.length === 0 && /^(?:.?[<>=^])?0?\d*$/s.test(spec)
  if (name === undefined || column === undefined || !plain) return filled(part, row)
  const absent = !Object.hasOwn(row.values, name)
  if (!absent && !column.fractional) return filled(part, row)
  const text = absent ? 'nan' : columnText(row.values[name], column)
  return formatPlace(text, { spec: alignedRight(spec) })
}

/** Numbers are right-aligned by default. */
function alignedRight(spec: string): string {
  if (spec === '' || /^.?[<>=^]/s.test(spec)) return spec
  return spec.startsWith('0') ? `0>${spec.slice(1)}` : `>${spec}`
}

function dataOf(value: unknown): Data {
  if (isData(value)) return value
  if (isMessage(value)) return createData(messageToFields(value))
  if (isObject(value) && isObject(value.data)) return createData(value.data)
  throw new TypeError(`Unsupported input type: ${nameOfType(value)}. Expected DataFrame or Data.`)
}

/** Caches the characters of strings accessed by placeholders, so that each is split only once. */
type Texts = Map<string, readonly string[]>

interface Filling {
  readonly values: Readonly<Record<string, unknown>>
  /** Replaces a missing key; if undefined, a missing key is an error. */
  readonly fallback?: string | undefined
  readonly texts: Texts
  readonly spend: WorkCounter
}

function filled(part: TemplatePart, { values, fallback, texts, spend }: Filling): string {
  const { name, target, path } = part
  if (name === undefined) return ''
  if (/^\d*$/.test(name)) throw new SyntaxError('A placeholder in the template has no name')
  const known = Object.hasOwn(values, name)
  if (!known && fallback === undefined) {
    throw new TypeError(`Column '${name}' is not in the DataFrame`)
  }
  const start: unknown = known ? values[name] : fallback
  const value = path.reduce(
    (at, step) => stepInto(at, step, { target: target ?? name, texts }),
    start,
  )
  return formatPlace(value, part, spend)
}

/** Resolves `[key]` in an object, list or string; attributes are rejected. */
function stepInto(
  value: unknown,
  step: string,
  { target, texts }: { readonly target: string; readonly texts: Texts },
): unknown {
  if (step.startsWith('.')) throw new SyntaxError(`{${target}}: attributes are not allowed`)
  const list: unknown = typeof value === 'string' ? charactersOf(value, texts) : value
  if (Array.isArray(list) && /^\d+$/.test(step) && Number(step) < list.length) {
    return list[Number(step)] as unknown
  }
  if (isObject(value) && Object.hasOwn(value, step)) return value[step]
  throw new TypeError(`{${target}}: no key ${step}`)
}

function charactersOf(text: string, texts: Texts): readonly string[] {
  const known = texts.get(text)
  if (known !== undefined) return known
  const characters = Array.from(text)
  if (characters.length > 1) texts.set(text, characters)
  return characters
}
