import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { chosenInEditor, chosenOperation, showFieldsOf } from './chosen-operation.ts'
import { createData, type Data, errorText } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import type { NodeTemplate } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import {
  asData,
  combine,
  evaluateLiterals,
  filterLists,
  jsonPaths,
  removeKeys,
  renameKeys,
  selectKeys,
} from './data-changes.ts'
import { queryJson } from './json-query.ts'

const hidden = { show: false } as const

/** General operations on data objects. */
export const DATA_OPERATIONS = [
  { name: 'Select Keys', icon: 'lasso-select' },
  { name: 'Literal Eval', icon: 'braces' },
  { name: 'Combine', icon: 'merge' },
  { name: 'Append or Update', icon: 'circle-plus' },
  { name: 'Remove Keys', icon: 'eraser' },
  { name: 'Rename Keys', icon: 'pencil-line' },
  { name: 'Path Selection', icon: 'mouse-pointer' },
  { name: 'JQ Expression', icon: 'terminal' },
]

const FILTER = { name: 'Filter Values', icon: 'filter' }
const OFFERED = [...DATA_OPERATIONS.slice(0, 3), FILTER, ...DATA_OPERATIONS.slice(3)]

/** Fields for selecting keys, hidden until an operation is selected. */
export const selectFields = {
  select_keys_input: field.text({ displayName: 'Select Keys', list: true, ...hidden }),
}

const filterFields = {
  filter_key: field.text({
    displayName: 'Filter Key',
    info: 'The key of the list to filter.',
    list: true,
    ...hidden,
  }),
  operator: field.dropdown({
    displayName: 'Comparison Operator',
    options: ['equals', 'not equals', 'contains', 'starts with', 'ends with'],
    default: 'equals',
    ...hidden,
  }),
  filter_values: field.dict({
    displayName: 'Filter Values',
    info: 'Keys of the objects in the list, with the values to match.',
    list: true,
    default: {},
    ...hidden,
  }),
}

/** Fields for changes, paths and queries. */
export const changeFields = {
  append_update_data: field.dict({
    displayName: 'Append or Update',
    list: true,
    default: { key: 'value' },
    ...hidden,
  }),
  remove_keys_input: field.text({ displayName: 'Remove Keys', list: true, ...hidden }),
  rename_keys_input: field.dict({
    displayName: 'Rename Keys',
    list: true,
    default: { old_key: 'new_key' },
    ...hidden,
  }),
  mapped_json_display: field.multiline({
    displayName: 'JSON to Map',
    info: 'A sample that provides the selectable paths.',
    placeholder: 'Add a JSON example.',
    refresh: true,
    attributes: { refresh_button: true },
    ...hidden,
  }),
  selected_key: field.dropdown({ displayName: 'Select Path', dynamic: true, ...hidden }),
  query: field.text({
    displayName: 'JQ Expression',
    placeholder: 'e.g., .properties.id',
    ...hidden,
  }),
}

/** Changes a data object by one operation. */
export const dataOperations = defineComponent({
  type: 'DataOperations',
  displayName: 'Data Operations',
  description: 'Selects, changes, combines or queries data objects.',
  icon: 'file-json',
  category: 'processing',
  module: 'lfx.components.processing.data_operations.DataOperationsComponent',
  inputs: {
    data: field.data({ displayName: 'Data', list: true, required: true }),
    operations: field.sortableList({
      closed: true,
      displayName: 'Operations',
      placeholder: 'Select Operation',
      options: OFFERED,
      limit: 1,
      refresh: true,
    }),
    ...selectFields,
    ...filterFields,
    ...changeFields,
  },
  outputs: {
    data_output: output.data({
      displayName: 'Data',
      method: 'as_data',
      async run({ data, operations, ...inputs }, ctx) {
        const name = chosenOperation(operations)
        if (data.length > 1 && name !== null && name !== 'Path Selection' && OPERATIONS.has(name)) {
          throw new TypeError(`${name} operation is not supported for multiple data objects.`)
        }
        return changeData(name, { ...inputs, data }, ctx)
      },
    }),
  },
  refresh(template, name, value) {
    if (name === 'operations') chooseOperation(template, chosenInEditor(value))
    if (name === 'mapped_json_display') offerPaths(template, value)
  },
})

type Plain = Readonly<Record<string, unknown>>

interface OperationInputs {
  readonly select_keys_input: readonly string[]
  readonly filter_key: readonly string[]
  readonly operator: string
  readonly filter_values: Plain
  readonly append_update_data: Plain
  readonly remove_keys_input: readonly string[]
  readonly rename_keys_input: Plain
  readonly selected_key: string
  readonly query: string
}

type Operation = (
  data: Plain,
  inputs: OperationInputs,
  ctx: ComponentContext,
) => object | Promise<object>

const OPERATIONS = new Map<string, Operation>([
  ['Select Keys', (data, inputs) => asData(selectKeys(data, inputs.select_keys_input))],
  ['Literal Eval', (data) => objectOf(evaluateLiterals(data))],
  [
    'Filter Values',
    (data, inputs) =>
      asData(
        filterLists(data, {
          lists: inputs.filter_key,
          wanted: inputs.filter_values,
          operator: inputs.operator,
        }),
      ),
  ],
  ['Append or Update', (data, inputs) => asData({ ...data, ...inputs.append_update_data })],
  ['Remove Keys', (data, inputs) => removeKeys(data, inputs.remove_keys_input)],
  ['Rename Keys', (data, inputs) => renameKeys(data, inputs.rename_keys_input)],
  ['Path Selection', (data, inputs, ctx) => selectPath(data, inputs.selected_key, ctx)],
  ['JQ Expression', (data, inputs, ctx) => runQuery(data, inputs.query, ctx)],
])

/** Applies an operation to data; without a known operation, returns an empty object. */
export function changeData(
  name: string | null,
  { data, ...inputs }: OperationInputs & { readonly data: readonly Data[] },
  ctx: ComponentContext,
): object | Promise<object> {
  if (name === 'Combine') {
    const [only, ...others] = data
    return only !== undefined && others.length === 0 ? only : combine(data.map(inner))
  }
  const perform = OPERATIONS.get(name ?? '')
  if (perform === undefined) return createData({})
  if (data.length === 0 && name === 'Path Selection') return NOTHING_TO_SELECT
  return perform(data[0]?.data ?? {}, inputs, ctx)
}

const NOTHING_TO_SELECT = { error: 'Missing input data or selected key.' }

/** A path without a match is reported in the result; an expression without a match is an error. */
async function selectPath(data: Plain, path: string, ctx: ComponentContext): Promise<object> {
  if (path === '') return NOTHING_TO_SELECT
  try {
    const [first = null] = await queryJson(path, data, ctx)
    return objectOf(first)
  } catch (error) {
    ctx.signal.throwIfAborted()
    if (error instanceof RangeError) throw error
    return { error: errorText(error) }
  }
}

async function runQuery(data: Plain, query: string, ctx: ComponentContext): Promise<object> {
  if (query.trim() === '') throw new TypeError('JSON Query is required and cannot be blank.')
  try {
    const results = await queryJson(query, data, ctx)
    if (results.length === 0) throw new TypeError('No result from JSON query.')
    const result = results.length === 1 ? results[0] : results
    if (result === null) {
      throw new TypeError('JSON query returned null/None. Check if the path exists in your data.')
    }
    return objectOf(result)
  } catch (error) {
    ctx.signal.throwIfAborted()
    throw new TypeError(`JSON Query error: ${errorText(error)}`, { cause: error })
  }
}

function objectOf(value: unknown): object {
  return isObject(value) ? value : { result: value }
}

function inner({ data }: Data): Plain {
  return data
}

/** The fields used by each operation. */
export const DATA_FIELDS = new Map([
  ['Select Keys', ['select_keys_input']],
  ['Literal Eval', []],
  ['Combine', []],
  ['Filter Values', ['filter_key', 'operator', 'filter_values']],
  ['Append or Update', ['append_update_data']],
  ['Remove Keys', ['remove_keys_input']],
  ['Rename Keys', ['rename_keys_input']],
  ['Path Selection', ['mapped_json_display', 'selected_key']],
  ['JQ Expression', ['query']],
])

function chooseOperation(template: NodeTemplate, operation: string | null): void {
  showFieldsOf(template, operation, DATA_FIELDS)
  if (operation !== null && DATA_FIELDS.has(operation) && template.data !== undefined) {
    template.data.is_list = operation === 'Combine'
  }
}

/** Offers the paths of the sample. */
export function offerPaths(template: NodeTemplate, sample: unknown): void {
  if (template.selected_key === undefined) return
  const paths = samplePaths(sample)
  template.selected_key.options = paths ?? []
  template.selected_key.show = paths !== null
}

function samplePaths(sample: unknown): string[] | null {
  try {
    return typeof sample === 'string' ? jsonPaths(parseJson(sample)) : null
  } catch {
    return null
  }
}
