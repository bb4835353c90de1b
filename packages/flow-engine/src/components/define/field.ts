import type { ChatModel, Embedder, Tool } from '../../models/chat-model.ts'
import type { Data } from '../../graph/values/data.ts'
import type { DataFrame } from '../../graph/values/data-frame.ts'
import type { Message } from '../../graph/values/message.ts'
import type { PickedModel } from './picked-model.ts'
import type { FileReference } from './services.ts'
import type { VariableValue } from './variable-value.ts'

/** The field kinds; `template.ts` defines their wire format and `field-values.ts` their conversion. */
export type FieldKind =
  | 'message'
  | 'text'
  | 'multiline'
  | 'query'
  | 'prompt'
  | 'code'
  | 'stream'
  | 'string'
  | 'secret'
  | 'link'
  | 'int'
  | 'float'
  | 'slider'
  | 'bool'
  | 'dropdown'
  | 'tab'
  | 'multiselect'
  | 'sortableList'
  | 'dict'
  | 'nestedDict'
  | 'table'
  | 'data'
  | 'dataFrame'
  | 'handle'
  | 'model'
  | 'embeddings'
  | 'memory'
  | 'tools'
  | 'file'
  | 'mcp'
  | 'connect'
  | 'auth'
  | 'picker'

/** Options common to all fields. */
export interface FieldOptions<T = unknown> {
  /** Default: the field's name in title case. */
  readonly displayName?: string
  readonly info?: string
  readonly placeholder?: string
  readonly default?: T | readonly T[]
  readonly required?: boolean
  readonly advanced?: boolean
  /** True if the field is visible. Default true. */
  readonly show?: boolean
  readonly list?: boolean
  /** Accepted handle types; null for none. */
  readonly inputTypes?: readonly string[] | null
  /** Makes the field an argument when the component is used as a tool. */
  readonly toolMode?: boolean
  /** Treats the value as the name of a variable. */
  readonly loadFromDb?: boolean
  /** Makes the editor request an update when the value changes. */
  readonly refresh?: boolean
  readonly dynamic?: boolean
  /**
   * Omits the field from new nodes and from the catalogue; only nodes of other versions have it. Default
   * false.
   */
  readonly newer?: boolean
  /**
   * Declares that the component has another source for a missing value. The field is never reported as
   * missing, and an unknown variable is passed as a VariableValue without origin.
   */
  readonly fallback?: boolean
  /** Additional attributes of the wire format, in wire spelling. */
  readonly attributes?: Readonly<Record<string, unknown>>
}

export interface NumberOptions extends FieldOptions<number> {
  readonly min?: number
  readonly max?: number
  readonly step?: number
}

export interface ChoiceOptions extends FieldOptions<string> {
  readonly options?: readonly string[]
  /** Allows values other than the options. Default false. */
  readonly combobox?: boolean
  /**
   * Refuses values other than the options at run time, naming the known ones. Default: true if there are
   * options, and none of `combobox`, `refresh` and `dynamic` is set.
   */
  readonly closed?: boolean
  /** Values that other versions offer, with the option that each of them stands for. Default none. */
  readonly aliases?: Readonly<Record<string, string>>
}

export interface SortableOption {
  readonly name: string
  readonly icon?: string
}

export interface SortableListOptions
  extends FieldOptions<SortableOption>, Pick<ChoiceOptions, 'closed' | 'aliases'> {
  readonly options?: readonly SortableOption[]
  readonly limit?: number
}

export interface TableOptions extends FieldOptions<Readonly<Record<string, unknown>>> {
  /** Column definitions in wire spelling. */
  readonly columns?: readonly object[]
  /** Passes Data unchanged instead of converting it to a row of its keys. Default false. */
  readonly keepData?: boolean
}

export interface HandleOptions extends FieldOptions {
  /** Alias of `inputTypes`. */
  readonly types?: readonly string[]
}

export interface PickerOptions extends FieldOptions {
  /** The kind of model. Default `language`. */
  readonly modelType?: 'language' | 'embedding'
  /** The wire format used in new nodes instead. */
  readonly as?: 'model' | 'handle' | 'dropdown'
  readonly options?: readonly string[]
}

export interface FileOptions extends FieldOptions<string> {
  /** Accepted extensions, without the dot. */
  readonly extensions?: readonly string[]
  /** Does not keep the file among the user's files. Default false. */
  readonly temp?: boolean
}

export interface SecretOptions extends FieldOptions<string> {
  /** The variable, of the user or of the environment, that is used while the field is blank. Default none. */
  readonly variable?: string
}

/** The options of all field kinds together, as the engine reads them. */
export interface AnyFieldOptions
  extends
    FieldOptions,
    Pick<NumberOptions, 'min' | 'max' | 'step'>,
    Pick<ChoiceOptions, 'combobox' | 'closed' | 'aliases'>,
    Pick<SortableListOptions, 'limit'>,
    Pick<TableOptions, 'columns' | 'keepData'>,
    Pick<HandleOptions, 'types'>,
    Pick<PickerOptions, 'modelType' | 'as'>,
    Pick<FileOptions, 'extensions' | 'temp'>,
    Pick<SecretOptions, 'variable'> {
  readonly options?: readonly (string | SortableOption)[]
}

/** A key as configured in the node: a string, or the variable that it names. */
export type ProviderKey = string | VariableValue | null

/**
 * The declaration of an input. `T` is the type passed to `run`, `G` the JSON that a node's template may
 * contain, and `H` the names of the value types accepted from edges.
 */
export interface Field<T = unknown, G = unknown, H extends string = string> {
  readonly fieldKind: FieldKind
  readonly options: AnyFieldOptions
  /** Never set at run time; these three properties carry types only. */
  readonly valueType?: T
  readonly givenType?: G
  readonly handleType?: H
}

export type Fields = Readonly<Record<string, Field>>

/** The values passed to `run` for the declared inputs. */
export type Values<I extends Fields> = {
  readonly [K in keyof I]: I[K] extends Field<infer T> ? T : never
}

type Listed<O, T> = O extends { readonly list: true } ? T[] : T
type Optional<O, T> = O extends { readonly list: true }
  ? T[]
  : O extends { readonly required: true } | { readonly default: PresentValue }
    ? T
    : T | null
type PresentValue = string | number | boolean | object
type Plain = Record<string, unknown>
/** Like `Listed`, for values that are only read. */
type Many<O, T> = O extends { readonly list: true } ? readonly T[] : T
/** The options of a choice; any string if others can be entered or depend on other fields. */
type Choice<O> = O extends { readonly closed: true }
  ? OptionOf<O>
  : O extends
        | { readonly closed: false }
        | { readonly combobox: true }
        | { readonly refresh: true }
        | { readonly dynamic: true }
    ? string
    : OptionOf<O>
type OptionOf<O> = O extends { readonly options: readonly (infer S extends string)[] } ? S : string
/** The accepted value types: those in the options, else `D`. */
type Plugged<O, D extends string> = O extends {
  readonly inputTypes: readonly (infer H extends string)[]
}
  ? HandleName<H>
  : O extends { readonly types: readonly (infer H extends string)[] }
    ? HandleName<H>
    : D
type Picked<O> = O extends { readonly as: 'dropdown' }
  ? 'Message'
  : O extends { readonly modelType: 'embedding' }
    ? 'Embeddings'
    : 'LanguageModel'
/** Maps aliases to one canonical name per value type. */
export type HandleName<H extends string> = H extends keyof HandleAliases ? HandleAliases[H] : H
interface HandleAliases {
  readonly JSON: 'Data'
  readonly Table: 'DataFrame'
  readonly Text: 'Message'
  readonly str: 'Message'
}

function declare<T, G, H extends string>(
  fieldKind: FieldKind,
  options: AnyFieldOptions = {},
): Field<T, G, H> {
  return { fieldKind, options }
}

/** Input declarations, with one function for each field class. */
export const field = {
  message: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Optional<O, Message>, Many<O, string>, Plugged<O, 'Message'>>('message', options),
  text: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'Message'>>('text', options),
  multiline: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'Message'>>('multiline', options),
  query: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'Message'>>('query', options),
  prompt: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'prompt'>>('prompt', options),
  code: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'code'>>('code', options),
  /** Like `text`, but streaming text is passed on without reading it. */
  stream: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string | AsyncIterable<string>>, Many<O, string>, Plugged<O, 'Message'>>(
      'stream',
      options,
    ),
  string: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'Message'>>('string', options),
  secret: <const O extends SecretOptions>(options?: O) =>
    declare<Optional<O, string>, Many<O, string>, Plugged<O, never>>('secret', options),
  /** A secret; the component has another source for it when blank. */
  key: (options?: FieldOptions<string>) =>
    declare<ProviderKey, string, never>('secret', { ...options, fallback: true }),
  /** A model selected from a list or received from an edge. */
  picker: <const O extends PickerOptions>(options?: O) =>
    declare<PickedModel, unknown, Plugged<O, Picked<O>>>('picker', options),
  link: <const O extends FieldOptions<string>>(options?: O) =>
    declare<Listed<O, string>, Many<O, string>, Plugged<O, 'link'>>('link', options),
  int: <const O extends NumberOptions>(options?: O) =>
    declare<Optional<O, number>, Many<O, number>, Plugged<O, 'int'>>('int', options),
  float: <const O extends NumberOptions>(options?: O) =>
    declare<Optional<O, number>, Many<O, number>, Plugged<O, 'float'>>('float', options),
  slider: <const O extends NumberOptions>(options?: O) =>
    declare<Optional<O, number>, Many<O, number>, Plugged<O, 'slider'>>('slider', options),
  bool: <const O extends FieldOptions<boolean>>(options?: O) =>
    declare<Listed<O, boolean>, Many<O, boolean>, Plugged<O, 'bool'>>('bool', options),
  dropdown: <const O extends ChoiceOptions>(options?: O) =>
    declare<Listed<O, string>, Many<O, Choice<O>>, Plugged<O, 'Message'>>('dropdown', options),
  tab: <const O extends ChoiceOptions>(options?: O) =>
    declare<Listed<O, string>, Many<O, Choice<O>>, Plugged<O, 'tab'>>('tab', options),
  multiselect: <const O extends ChoiceOptions>(options?: O) =>
    declare<string[], readonly Choice<O>[], Plugged<O, 'Message'>>('multiselect', options),
  sortableList: <const O extends SortableListOptions>(options?: O) =>
    declare<SortableOption[], readonly SortableOption[], Plugged<O, 'sortableList'>>(
      'sortableList',
      options,
    ),
  /** An object; a list of objects is merged into one. */
  dict: <const O extends FieldOptions<object>>(options?: O) =>
    declare<Plain, object, Plugged<O, 'dict'>>('dict', options),
  nestedDict: <const O extends FieldOptions<object>>(options?: O) =>
    declare<Plain, object, Plugged<O, 'NestedDict'>>('nestedDict', options),
  table: <const O extends TableOptions>(options?: O) =>
    declare<Plain[], readonly object[], Plugged<O, 'table'>>('table', options),
  data: <const O extends FieldOptions>(options?: O) =>
    declare<Optional<O, Data>, unknown, Plugged<O, 'Data'>>('data', options),
  dataFrame: <const O extends FieldOptions>(options?: O) =>
    declare<Optional<O, DataFrame>, unknown, Plugged<O, 'DataFrame'>>('dataFrame', options),
  /** The edge's value unchanged; null (for lists: []) without an edge. */
  handle: <const O extends HandleOptions>(options?: O) =>
    declare<Listed<O, unknown>, unknown, Plugged<O, 'other'>>('handle', options),
  model: <const O extends FieldOptions>(options?: O) =>
    declare<Optional<O, ChatModel>, unknown, Plugged<O, 'LanguageModel'>>('model', options),
  embeddings: <const O extends FieldOptions>(options?: O) =>
    declare<Optional<O, Embedder>, unknown, Plugged<O, 'Embeddings'>>('embeddings', options),
  memory: <const O extends FieldOptions>(options?: O) =>
    declare<unknown, unknown, Plugged<O, 'Memory'>>('memory', options),
  tools: <const O extends FieldOptions>(options?: O) =>
    declare<Tool[], unknown, Plugged<O, 'Tool'>>('tools', options),
  file: <const O extends FileOptions>(options?: O) =>
    declare<FileReference[], string | readonly string[], Plugged<O, 'file'>>('file', options),
  mcp: <const O extends FieldOptions>(options?: O) =>
    declare<unknown, unknown, Plugged<O, 'mcp'>>('mcp', options),
  connect: <const O extends ChoiceOptions>(options?: O) =>
    declare<unknown, unknown, Plugged<O, 'connect'>>('connect', options),
  auth: <const O extends FieldOptions>(options?: O) =>
    declare<unknown, unknown, Plugged<O, 'auth'>>('auth', options),
} as const
