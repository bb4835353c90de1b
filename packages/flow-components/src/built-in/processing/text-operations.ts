import { createData } from '@x/flow-engine'
import { createDataFrame, isDataFrame, type DataFrame } from '@x/flow-engine'
import { toData, toDataFrame } from '@x/flow-engine'
import { toMessageInTurns } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { chosenInEditor, chosenOperation, showFieldsOf } from './chosen-operation.ts'
import {
  changeCase,
  cleanText,
  countText,
  extractText,
  joinTexts,
  partOfText,
  replaceText,
  stripText,
  textToTable,
} from './text-changes.ts'

const hidden = { dynamic: true, show: false } as const
const count = { ...hidden, advanced: true, default: true } as const
const characters = { ...hidden, default: 100, min: 0, max: 1_000_000, step: 1 } as const

/** The fields of all text operations, hidden until an operation is selected. */
export const textFields = {
  table_separator: field.string({ displayName: 'Table Separator', default: '|', ...hidden }),
  has_header: field.bool({ displayName: 'Has Header', ...count }),
  count_words: field.bool({ displayName: 'Count Words', ...count }),
  count_characters: field.bool({ displayName: 'Count Characters', ...count }),
  count_lines: field.bool({ displayName: 'Count Lines', ...count }),
  case_type: field.dropdown({
    closed: true,
    displayName: 'Case Type',
    options: ['uppercase', 'lowercase', 'title', 'capitalize', 'swapcase'],
    default: 'lowercase',
    ...hidden,
  }),
  use_regex: field.bool({ displayName: 'Use Regex', default: false, ...hidden }),
  search_pattern: field.string({ displayName: 'Search Pattern', ...hidden }),
  replacement_text: field.string({ displayName: 'Replacement Text', ...hidden }),
  extract_pattern: field.string({ displayName: 'Extract Pattern', ...hidden }),
  max_matches: field.int({
    displayName: 'Max Matches',
    info: '0 for no limit.',
    default: 10,
    ...hidden,
  }),
  head_characters: field.int({ displayName: 'Characters from Start', ...characters }),
  tail_characters: field.int({ displayName: 'Characters from End', ...characters }),
  strip_mode: field.dropdown({
    closed: true,
    displayName: 'Strip Mode',
    options: ['both', 'left', 'right'],
    default: 'both',
    ...hidden,
  }),
  strip_characters: field.string({
    displayName: 'Characters to Strip',
    info: 'If empty, whitespace.',
    ...hidden,
  }),
  text_input_2: field.multiline({ displayName: 'Second Text Input', ...hidden }),
  remove_extra_spaces: field.bool({
    displayName: 'Remove Extra Spaces',
    default: true,
    ...hidden,
  }),
  remove_special_chars: field.bool({
    displayName: 'Remove Special Characters',
    default: false,
    ...hidden,
  }),
  remove_empty_lines: field.bool({ displayName: 'Remove Empty Lines', default: false, ...hidden }),
}

export const TEXT_OPERATIONS = [
  { name: 'Word Count', icon: 'hash' },
  { name: 'Case Conversion', icon: 'type' },
  { name: 'Text Replace', icon: 'replace' },
  { name: 'Text Extract', icon: 'search' },
  { name: 'Text Head', icon: 'chevron-left' },
  { name: 'Text Tail', icon: 'chevron-right' },
  { name: 'Text Strip', icon: 'minus' },
  { name: 'Text Join', icon: 'link' },
  { name: 'Text Clean', icon: 'sparkles' },
  { name: 'Text to DataFrame', icon: 'table' },
]

const fields = {
  text_input: field.multiline({ displayName: 'Text Input', required: true }),
  operation: field.sortableList({
    closed: true,
    displayName: 'Operation',
    placeholder: 'Select Operation',
    options: TEXT_OPERATIONS,
    limit: 1,
    refresh: true,
  }),
  ...textFields,
}

type TextInputs = Values<typeof fields>

/** Changes text by one operation, as in versions 1.8 to 1.10. */
export const textOperations = defineComponent({
  type: 'TextOperations',
  displayName: 'Text Operations',
  description: 'Counts, changes, searches or splits text.',
  icon: 'type',
  category: 'processing',
  module: 'lfx.components.processing.text_operations.TextOperations',
  legacy: true,
  replacement: ['processing.Operations'],
  inputs: fields,
  outputs: {
    message: output.message({
      displayName: 'Message',
      method: 'as_message',
      dynamic: true,
      run: async (inputs) => formatChanged(await changed(inputs)),
    }),
    text: output.message({
      displayName: 'Text',
      method: 'as_text',
      dynamic: true,
      run: async (inputs) => formatChanged(await changed(inputs)),
    }),
    data: output.data({
      displayName: 'Data',
      method: 'as_data',
      dynamic: true,
      run: async (inputs) => asObject(await changed(inputs)),
    }),
    dataframe: output.dataFrame({
      displayName: 'DataFrame',
      method: 'as_dataframe',
      dynamic: true,
      run: async (inputs) => asTable(await changed(inputs)),
    }),
  },
  refresh(template, name, value, ctx) {
    if (name !== 'operation') return undefined
    const operation = chosenInEditor(value)
    showFieldsOf(template, operation, TEXT_FIELDS)
    const names = operation === null ? [] : (OUTPUTS.get(operation) ?? ['message'])
    return { template, outputs: names.map((each) => ctx.output(each)) }
  },
})

/** The result of an operation; null if none is selected. */
type Changed = string | Readonly<Record<string, unknown>> | DataFrame | null

type Operation = (text: string, inputs: TextInputs) => Changed | Promise<Changed>

const OPERATIONS = new Map<string, Operation>([
  [
    'Word Count',
    (text, { count_words, count_characters, count_lines }) =>
      countText(text, { words: count_words, characters: count_characters, lines: count_lines }),
  ],
  ['Case Conversion', (text, { case_type }) => changeCase(text, case_type)],
  [
    'Text Replace',
    (text, { search_pattern: pattern, replacement_text: replacement, use_regex: isPattern }) =>
      replaceText(text, { pattern, replacement, isPattern }),
  ],
  ['Text Extract', (text, inputs) => extractText(text, inputs.extract_pattern, inputs.max_matches)],
  ['Text Head', (text, { head_characters }) => partOfText(text, head_characters, 'Start')],
  ['Text Tail', (text, { tail_characters }) => partOfText(text, tail_characters, 'End')],
  ['Text Strip', (text, inputs) => stripText(text, inputs.strip_mode, inputs.strip_characters)],
  ['Text Join', (text, { text_input_2 }) => joinTexts(text, text_input_2)],
  [
    'Text Clean',
    (text, inputs) =>
      cleanText(text, {
        extraSpaces: inputs.remove_extra_spaces,
        specialCharacters: inputs.remove_special_chars,
        emptyLines: inputs.remove_empty_lines,
      }),
  ],
  [
    'Text to DataFrame',
    (text, inputs) => textToTable(text, inputs.table_separator, inputs.has_header),
  ],
])

/** Applies the operation to the text; null for an unknown or missing operation. */
export function changeText(name: string | null, inputs: TextInputs): Changed | Promise<Changed> {
  return OPERATIONS.get(name ?? '')?.(inputs.text_input, inputs) ?? null
}

function changed(
  inputs: TextInputs & { readonly operation: Parameters<typeof chosenOperation>[0] },
): Changed | Promise<Changed> {
  return changeText(chosenOperation(inputs.operation), inputs)
}

/** Converts the result to a message: counts as JSON, tables as Markdown. */
export async function formatChanged(value: Changed) {
  if (value === null || typeof value === 'string') return value ?? ''
  return isDataFrame(value) ? await toMessageInTurns(value) : JSON.stringify(value, null, 2)
}

export function asObject(value: Changed) {
  if (value === null) return {}
  if (typeof value === 'string') return createData({ text: value })
  return isDataFrame(value) ? toData(value) : createData(value)
}

export function asTable(value: Changed): DataFrame {
  if (value === null) return createDataFrame([], [])
  return typeof value === 'string' ? createDataFrame([{ text: value }]) : toDataFrame(value)
}

/** The output of an operation, if it is not the message. */
const OUTPUTS = new Map([
  ['Word Count', ['data']],
  ['Text Join', ['text', 'message']],
  ['Text to DataFrame', ['dataframe']],
])

/** The fields used by each operation. */
export const TEXT_FIELDS = new Map([
  ['Word Count', ['count_words', 'count_characters', 'count_lines']],
  ['Case Conversion', ['case_type']],
  ['Text Replace', ['search_pattern', 'replacement_text', 'use_regex']],
  ['Text Extract', ['extract_pattern', 'max_matches']],
  ['Text Head', ['head_characters']],
  ['Text Tail', ['tail_characters']],
  ['Text Strip', ['strip_mode', 'strip_characters']],
  ['Text Join', ['text_input_2']],
  ['Text Clean', ['remove_extra_spaces', 'remove_special_chars', 'remove_empty_lines']],
  ['Text to DataFrame', ['table_separator', 'has_header']],
])
