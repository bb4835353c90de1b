import type { AnyFieldOptions, Field, FieldKind } from './field.ts'
import type { NodeOutput, TemplateField } from '../../graph/flow/node-json.ts'
import type { OutputDefinition } from './output.ts'
import { sortKeys } from './sort-keys.ts'
import { titleOf } from './title.ts'

/** Converts a field definition to its wire format, with keys in ASCII order. */
export function fieldToTemplate(name: string, { fieldKind, options }: Field): TemplateField {
  const kind = options.as ?? fieldKind
  const { inputType, type, extra } = WIRE[kind]
  const wire: Record<string, unknown> = {
    _input_type: inputType,
    type,
    name,
    display_name: options.displayName ?? titleOf(name),
    info: options.info ?? '',
    placeholder: options.placeholder ?? '',
    value: defaultValue(kind, options),
    required: options.required ?? false,
    advanced: options.advanced ?? false,
    show: options.show ?? true,
    dynamic: options.dynamic ?? false,
    title_case: false,
    override_skip: false,
    track_in_telemetry: TELEMETRY.has(kind),
    ...extra(options),
    ...(options.refresh === true ? { real_time_refresh: true } : {}),
    ...options.attributes,
  }
  const inputTypes = options.inputTypes ?? options.types ?? inputTypesOf(kind, options)
  if (options.inputTypes === null || inputTypes === undefined) delete wire.input_types
  else wire.input_types = [...inputTypes]
  for (const [key, value] of Object.entries(wire)) if (value === undefined) delete wire[key]
  return sortKeys(wire)
}

/** Converts an output declaration to its wire format. */
export function outputToNode(name: string, definition: OutputDefinition): NodeOutput {
  const wire: NodeOutput = {
    name,
    display_name: definition.displayName ?? titleOf(name),
    method: definition.method ?? name,
    types: [...definition.types],
    value: '__UNDEFINED__',
    cache: definition.cache ?? true,
    allows_loop: definition.allowsLoop ?? false,
    group_outputs: definition.groupOutputs ?? false,
    tool_mode: definition.toolMode ?? true,
  }
  const [first] = definition.types
  if (first !== undefined) wire.selected = first
  if (definition.hidden === true) wire.hidden = true
  if (definition.requiredInputs !== undefined) wire.required_inputs = [...definition.requiredInputs]
  if (definition.loopTypes !== undefined) wire.loop_types = [...definition.loopTypes]
  return sortKeys(wire)
}

/** Determines the kind of a wire-format field; if two kinds share a format, the more general one. */
export function kindOfTemplate({ _input_type: inputType, type }: TemplateField): FieldKind {
  const kinds = Object.entries(WIRE) as [FieldKind, WireKind][]
  const exact = kinds.find(([, wire]) => wire.inputType === inputType)
  const similar = kinds.find(([, wire]) => wire.type === type && wire.type !== 'other')
  return exact?.[0] ?? (type === 'str' ? 'text' : (similar?.[0] ?? 'handle'))
}

type Extra = (options: AnyFieldOptions) => Record<string, unknown>

interface WireKind {
  readonly inputType: string
  readonly type: string
  readonly extra: Extra
}

const LIST_LABEL = { list_add_label: 'Add More' }
const AS_METADATA = { trace_as_metadata: true }
const AS_INPUT = { trace_as_input: true }
const listed: Extra = ({ list = false }) => ({ list, ...LIST_LABEL })
const toolable: Extra = ({ toolMode = false }) => ({ tool_mode: toolMode })
const loaded: Extra = ({ loadFromDb = false }) => ({ load_from_db: loadFromDb })

const textual: Extra = (o) => ({
  ...listed(o),
  ...toolable(o),
  ...loaded(o),
  ...AS_INPUT,
  ...AS_METADATA,
})
const multiline: Extra = (o) => ({
  ...textual(o),
  multiline: true,
  ai_enabled: false,
  copy_field: false,
})
const simple: Extra = (o) => ({ ...listed(o), ...toolable(o), ...AS_METADATA })
const numeric: Extra = (o) => ({ ...simple(o), ...range(o) })
const entered: Extra = (o) => ({ ...listed(o), ...toolable(o), ...AS_INPUT })
const valued: Extra = (o) => ({ ...entered(o), ...AS_METADATA })
const handle: Extra = (o) => ({ ...listed(o), ...AS_METADATA })
const choice: Extra = (o) => ({
  ...toolable(o),
  ...AS_METADATA,
  options: [...(o.options ?? [])],
  options_metadata: [],
  combobox: o.combobox ?? false,
  toggle: false,
  dialog_inputs: {},
  external_options: {},
  ...(o.list === undefined ? {} : { list: o.list }),
})
const slider: Extra = (o) => ({
  ...toolable(o),
  range_spec: { min: o.min ?? 0, max: o.max ?? 1, step: o.step ?? 0.1, step_type: 'float' },
  min_label: '',
  max_label: '',
  min_label_icon: '',
  max_label_icon: '',
  slider_buttons: false,
  slider_buttons_options: [],
  slider_input: false,
})
const sortable: Extra = (o) => ({
  ...toolable(o),
  ...AS_METADATA,
  options: [...(o.options ?? [])],
  ...(o.limit === undefined ? {} : { limit: o.limit }),
  search_category: [],
})
const table: Extra = (o) => ({
  ...toolable(o),
  ...AS_METADATA,
  ...LIST_LABEL,
  is_list: true,
  table_schema: [...(o.columns ?? [])],
  table_icon: 'Table',
  trigger_icon: 'Table',
  trigger_text: 'Open table',
})
const file: Extra = (o) => ({
  ...simple(o),
  fileTypes: [...(o.extensions ?? [])],
  file_path: '',
  temp_file: o.temp ?? false,
})

/** Input type, value type and attributes of each field class. */
const WIRE: Readonly<Record<FieldKind, WireKind>> = {
  message: { inputType: 'MessageInput', type: 'str', extra: textual },
  text: { inputType: 'MessageTextInput', type: 'str', extra: textual },
  stream: { inputType: 'MessageTextInput', type: 'str', extra: textual },
  multiline: { inputType: 'MultilineInput', type: 'str', extra: multiline },
  query: { inputType: 'QueryInput', type: 'query', extra: textual },
  prompt: { inputType: 'PromptInput', type: 'prompt', extra: entered },
  code: { inputType: 'CodeInput', type: 'code', extra: entered },
  string: {
    inputType: 'StrInput',
    type: 'str',
    extra: (o) => ({ ...simple(o), ...loaded(o) }),
  },
  secret: {
    inputType: 'SecretStrInput',
    type: 'str',
    extra: (o) => ({ load_from_db: o.loadFromDb ?? true, password: true }),
  },
  link: { inputType: 'LinkInput', type: 'link', extra: () => ({}) },
  int: { inputType: 'IntInput', type: 'int', extra: numeric },
  float: { inputType: 'FloatInput', type: 'float', extra: numeric },
  slider: { inputType: 'SliderInput', type: 'slider', extra: slider },
  bool: { inputType: 'BoolInput', type: 'bool', extra: simple },
  dropdown: { inputType: 'DropdownInput', type: 'str', extra: choice },
  tab: {
    inputType: 'TabInput',
    type: 'tab',
    extra: (o) => ({ ...toolable(o), ...AS_METADATA, options: [...(o.options ?? [])] }),
  },
  multiselect: {
    inputType: 'MultiselectInput',
    type: 'str',
    extra: (o) => ({ ...choice(o), list: true, ...LIST_LABEL }),
  },
  sortableList: { inputType: 'SortableListInput', type: 'sortableList', extra: sortable },
  dict: { inputType: 'DictInput', type: 'dict', extra: entered },
  nestedDict: { inputType: 'NestedDictInput', type: 'NestedDict', extra: valued },
  table: { inputType: 'TableInput', type: 'table', extra: table },
  data: { inputType: 'DataInput', type: 'other', extra: valued },
  dataFrame: { inputType: 'DataFrameInput', type: 'other', extra: valued },
  handle: { inputType: 'HandleInput', type: 'other', extra: handle },
  model: { inputType: 'HandleInput', type: 'other', extra: handle },
  embeddings: { inputType: 'HandleInput', type: 'other', extra: handle },
  memory: { inputType: 'HandleInput', type: 'other', extra: handle },
  tools: {
    inputType: 'HandleInput',
    type: 'other',
    extra: (o) => handle({ ...o, list: o.list ?? true }),
  },
  file: { inputType: 'FileInput', type: 'file', extra: file },
  mcp: { inputType: 'McpInput', type: 'mcp', extra: () => AS_METADATA },
  connect: {
    inputType: 'ConnectionInput',
    type: 'connect',
    extra: (o) => ({ ...AS_METADATA, options: [...(o.options ?? [])] }),
  },
  picker: {
    inputType: 'ModelInput',
    type: 'model',
    extra: (o) => ({ ...simple(o), ...AS_INPUT, model_type: o.modelType ?? 'language' }),
  },
  auth: { inputType: 'AuthInput', type: 'auth', extra: () => AS_METADATA },
}

const TELEMETRY: ReadonlySet<FieldKind> = new Set(['bool', 'int', 'float', 'dropdown', 'tab'])

const INPUT_TYPES: Readonly<Partial<Record<FieldKind, readonly string[]>>> = {
  message: ['Message'],
  text: ['Message'],
  stream: ['Message'],
  multiline: ['Message'],
  query: ['Message'],
  secret: [],
  data: ['Data'],
  dataFrame: ['DataFrame'],
  model: ['LanguageModel'],
  embeddings: ['Embeddings'],
  memory: ['Memory'],
  tools: ['Tool'],
}

function inputTypesOf(kind: FieldKind, { modelType }: AnyFieldOptions) {
  if (kind === 'picker') return [modelType === 'embedding' ? 'Embeddings' : 'LanguageModel']
  return INPUT_TYPES[kind]
}

function range({ min, max, step }: AnyFieldOptions): Record<string, unknown> {
  if (min === undefined && max === undefined) return {}
  return { range_spec: { min: min ?? 0, max: max ?? 100, step: step ?? 0.1, step_type: 'float' } }
}

function defaultValue(kind: FieldKind, options: AnyFieldOptions): unknown {
  if (options.default !== undefined) return options.default
  if (kind === 'bool') return false
  if (kind === 'table' || kind === 'multiselect') return []
  return kind === 'dict' || kind === 'nestedDict' || kind === 'mcp' ? {} : ''
}
