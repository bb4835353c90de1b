import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Component } from '../define/component.ts'
import type {
  NodeDetails,
  NodeOutput,
  NodeTemplate,
  TemplateField,
} from '../../graph/flow/node-json.ts'
import { sortKeys } from '../define/sort-keys.ts'
import { fieldToTemplate, outputToNode } from '../define/template.ts'

/** The response of `GET /all`: category -> type -> node. */
export type CatalogueJson = Record<string, Record<string, NodeDetails>>

/** Creates the catalogue of components; keys of every object are in ASCII order. */
export function catalogueJson(components: Iterable<Component>): CatalogueJson {
  const catalogue: CatalogueJson = Object.create(null) as CatalogueJson
  for (const component of components) {
    const category = component.category ?? 'custom'
    catalogue[category] ??= Object.create(null) as Record<string, NodeDetails>
    catalogue[category][component.type] = componentToNode(component)
  }
  return sortKeys(catalogue)
}

/** The types of all outputs, in alphabetical order without regard to case. */
function baseClasses(outputs: readonly NodeOutput[]): string[] {
  const types = [...new Set(outputs.flatMap((output) => output.types ?? []))]
  const keys = new Map(types.map((type) => [type, type.toLowerCase()]))
  return types.toSorted((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1))
}

/** Creates `data.node` of a new node of the component. */
export function componentToNode(component: Component): NodeDetails {
  const code = codeText(component)
  const outputs = declaredOutputs(component)
  return sortKeys({
    template: { ...templateOf(component), code: codeField(code) },
    display_name: component.displayName,
    ...(component.description === undefined ? {} : { description: component.description }),
    ...(component.icon === undefined ? {} : { icon: component.icon }),
    base_classes: baseClasses(outputs),
    documentation: component.documentation ?? '',
    outputs,
    field_order: Object.keys(component.inputs).filter(
      (name) => component.inputs[name]?.options.newer !== true,
    ),
    metadata: {
      module: component.module ?? component.type,
      code_hash: codeHash(code),
      dependencies: { total_dependencies: 0, dependencies: [] },
    },
    minimized: component.minimized ?? false,
    beta: component.beta ?? false,
    legacy: component.legacy ?? false,
    edited: false,
    frozen: false,
    pinned: false,
    tool_mode: false,
    conditional_paths: [],
    custom_fields: {},
    output_types: [],
    ...(component.replacement === undefined ? {} : { replacement: [...component.replacement] }),
    ...(component.priority === undefined ? {} : { priority: component.priority }),
  })
}

/** Returns the outputs of a new node: those that are not `dynamic`. */
export function declaredOutputs(component: Component): NodeOutput[] {
  return Object.entries(component.outputs)
    .filter(([, output]) => output.dynamic !== true)
    .map(([name, output]) => outputToNode(name, output))
}

/**
 * Returns the source for the code field of a built-in component. It only identifies the component and is
 * never run.
 */
export function codeText(component: Component): string {
  if (component.code !== undefined) return component.code
  return `export { ${exportName(component.type)} as default } from '@x/flow-engine/components'\n`
}

/** Returns the first 12 hex digits of the SHA-256 of source text in UTF-8. */
export function codeHash(code: string): string {
  return bytesToHex(sha256(new TextEncoder().encode(code))).slice(0, 12)
}

/** Names of types that are misspelt or too general to export. */
const RENAMED: Readonly<Record<string, string>> = {
  ExtractaKey: 'ExtractKey',
  MistalAIEmbeddings: 'MistralAiEmbeddings',
  Search: 'SearchApi',
  Serp: 'SerpApi',
  Yfinance: 'YahooFinance',
}

/**
 * Returns the name that `/components` exports for a component type, in camel case: `ChatInput` -> `chatInput`,
 * `AstraDB` -> `astraDb`.
 */
export function exportName(type: string): string {
  const plain = type.replace(/(?<=.)Component$/, '').replaceAll(/[^A-Za-z0-9]+/g, '')
  const words = (RENAMED[plain] ?? plain)
    .replace(/^(CSV|JSON|Message)to(?=Data$)/, '$1To')
    .replace(/^IBMwatsonx/, 'IBMWatsonx')
    .replaceAll(/(?<=[A-Z])[A-Z]+(?![a-z])/g, (rest) => rest.toLowerCase())
  return words.charAt(0).toLowerCase() + words.slice(1)
}

function templateOf(component: Component): NodeTemplate {
  const template = Object.create(null) as NodeTemplate
  // The editor expects this plain entry among the fields.
  Object.assign(template, { _type: 'Component' })
  for (const [name, field] of Object.entries(component.inputs)) {
    if (field.options.newer !== true) template[name] = fieldToTemplate(name, field)
  }
  return template
}

function codeField(value: string): TemplateField {
  return {
    type: 'code',
    name: 'code',
    value,
    required: true,
    show: true,
    advanced: true,
    dynamic: true,
    multiline: true,
    password: false,
    list: false,
    placeholder: '',
    info: '',
    title_case: false,
    load_from_db: false,
    fileTypes: [],
    file_path: '',
  }
}
