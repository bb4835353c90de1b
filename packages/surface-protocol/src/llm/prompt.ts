import { catalogCore, type Catalog } from '../catalog/catalog.ts'
import type { FunctionTable, ObjectTable, SlotTable } from '../catalog/v09/table.ts'
import { protocolParts, readVersion, versionNumber, type Version } from '../data/version.ts'
import { errorFrom } from '../diagnostics/errors.ts'
import { formatLine } from '../message/format-message.ts'
import { validateMessages } from '../store/validate-messages.ts'
import { formatCatalogPrompt } from './catalog-prompt.ts'

/** Options of a prompt. */
export interface FormatPromptOptions {
  readonly version: Version
  /** Catalogs with the available types and functions; the first is used for new surfaces. */
  readonly catalogs: readonly Catalog[]
  /** Example message lists. */
  readonly examples?: readonly (readonly object[])[]
  /** Kinds of messages that may be sent. Default: all. */
  readonly messages?: readonly string[]
  /** Name of the tag around messages. Default: `a2ui-json`. */
  readonly tag?: string
}

/** A version's description of its messages. */
export interface PromptRules {
  /** Descriptions of each kind of message, by key. */
  readonly messages: Readonly<Record<string, string>>
  readonly rules: readonly string[]
}

const rulesV09: PromptRules = {
  messages: {
    createSurface:
      '{"surfaceId":ID,"catalogId":ID,"theme":{...}?,"sendDataModel":BOOLEAN?}: begins a surface; comes first.',
    updateComponents:
      '{"surfaceId":ID,"components":[{"id":ID,"component":TYPE,...PROPERTIES}]}: adds or replaces components; one of them has the id "root".',
    updateDataModel:
      '{"surfaceId":ID,"path":POINTER?,"value":JSON?}: sets what stands at the path ("/" is all); without value it is removed.',
    deleteSurface: '{"surfaceId":ID}: removes the surface.',
  },
  rules: [
    'A binding is {"path":POINTER}; a call is {"call":FUNCTION,"args":{...}}.',
    'action = {"event":{"name":S,"context":{KEY:VALUE}?}} for the server, or {"functionCall":CALL} for the client.',
    'checks = [{"condition":dynamic boolean,"message":S}].',
  ],
}

/**
 * A system prompt for a model that writes messages: rules, kinds of messages, types and functions of
 * the catalogs, their instructions, and examples. Deterministic for given options.
 * @throws SurfaceError for an invalid example
 */
export function formatPrompt(options: FormatPromptOptions): string {
  const { catalogs, examples = [], tag = 'a2ui-json' } = options
  const version = readVersion(options.version)
  checkExamples(examples, { version, catalogs })
  const shown = examples.flatMap((messages, index) => [
    `Example ${index + 1}:`,
    `<${tag}>`,
    `[${messages.map(formatLine).join(',\n')}]`,
    `</${tag}>`,
  ])
  if (version === '0.8') {
    const texts = catalogs.map((catalog) => formatCatalogPrompt(catalog))
    return [...texts.map((text) => text.replaceAll('a2ui-json', tag)), ...shown].join('\n')
  }
  return [
    ...introduction(version, { tag, kinds: options.messages }),
    ...catalogs.flatMap(describeCatalog),
    ...shown,
  ].join('\n')
}

/** @throws SurfaceError for an invalid example */
export function checkExamples(
  examples: readonly (readonly object[])[],
  { version, catalogs }: { version: Version; catalogs: readonly Catalog[] },
): void {
  for (const messages of examples) {
    const found = validateMessages(messages, { version, catalogs })
    const errors = found.filter(({ severity }) => severity === 'error')
    if (errors.length > 0) throw errorFrom(errors)
  }
}

function introduction(
  version: Version,
  { tag, kinds }: { tag: string; kinds: readonly string[] | undefined },
): string[] {
  const parts = protocolParts(version) as { readonly prompt: PromptRules } | null
  const { messages, rules } = parts?.prompt ?? rulesV09
  const number = versionNumber(version)
  const wanted = Object.entries(messages).filter(([key]) => kinds?.includes(key) ?? true)
  return [
    `You describe user interfaces as JSON messages of A2UI ${number}: a list of messages inside <${tag}> and </${tag}>, with nothing else between the tags.`,
    `Each message has "version":"v${number}" and exactly one of these keys:`,
    ...wanted.map(([key, text]) => `- "${key}": ${text}`),
    'Components are a flat list and refer to each other by id; no component contains itself. "root" is the top.',
    'children = [ID] or {"componentId":ID,"path":POINTER}: one child for each entry at the path; paths without a slash inside begin at the entry.',
    'Dynamic values are a literal, a binding or a call.',
    ...rules,
  ]
}

function describeCatalog(catalog: Catalog): string[] {
  const table = catalogCore(catalog).v09?.table
  if (table === undefined) return []
  const { components, functions, instructions } = table
  const types = Object.entries(components).map(([type, row]) => `- ${type}: ${members(row)}`)
  const calls = Object.entries(functions).map(([name, row]) => `- ${name}: ${signature(row)}`)
  return [
    `Catalog "${table.catalogId}" (* = required).`,
    'Component types:',
    ...types,
    ...(calls.length === 0 ? [] : ['Functions:', ...calls]),
    ...(instructions === undefined ? [] : [instructions]),
  ]
}

function members({ fields, required = [] }: ObjectTable): string {
  const listed = Object.entries(fields).map(
    ([name, slot]) => `${name}${required.includes(name) ? '*' : ''}: ${slotText(slot)}`,
  )
  return listed.length === 0 ? 'no properties' : listed.join('; ')
}

function signature({ args, anyOf = [], returns }: FunctionTable): string {
  const oneOf = anyOf.length === 0 ? '' : `; at least one of ${anyOf.join(', ')}`
  return `{${members(args)}}${oneOf} gives ${returns}`
}

const names: Readonly<Record<string, string>> = {
  id: 'ID',
  dString: 'dynamic string',
  dNumber: 'dynamic number',
  dBoolean: 'dynamic boolean',
  dStrings: 'dynamic list of strings',
  dValue: 'dynamic value',
  any: 'any value',
}

function slotText(slot: SlotTable): string {
  if (typeof slot === 'string') return names[slot] ?? slot
  if ('enum' in slot) return slot.enum.join('|')
  if ('list' in slot) return `[${slotText(slot.list)}]`
  if ('object' in slot) return `{${members(slot.object)}}`
  if ('one' in slot) return slot.one.map(slotText).join(' or ')
  if ('pattern' in slot) return `string like ${slot.pattern}`
  if ('range' in slot) return slot.whole === true ? 'integer' : 'number'
  return 'JSON'
}
