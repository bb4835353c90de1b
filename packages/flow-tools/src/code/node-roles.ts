import { classOf, promptVariables } from '@x/flow-engine/internal'
import type { NodeEntry } from '@x/flow-engine/internal'
import { isObject, own, ownObject, ownText } from '@x/wire'

const OUTPUTS: ReadonlySet<string> = new Set(['ChatOutput', 'TextOutput', 'DataOutput'])
const PROMPTS: ReadonlySet<string> = new Set(['prompt', 'mustache'])
const VALUES: Readonly<Record<string, string>> = {
  Message: 'Message',
  Text: 'Message',
  str: 'Message',
  Data: 'Data',
  JSON: 'Data',
  DataFrame: 'DataFrame',
  Table: 'DataFrame',
}

/** Whether the node returns a value of the flow. */
export function isOutputNode({ id, type }: NodeEntry): boolean {
  return OUTPUTS.has(type) || OUTPUTS.has(classOf(id))
}

/** Tells which fields of a node are inputs of the flow: texts, the variables of prompts, data of webhooks. */
export function fieldRole(node: NodeEntry): (field: string) => 'input' | 'value' {
  const isOf = (name: string): boolean => node.type === name || classOf(node.id) === name
  if (isOf('TextInput')) return (field) => (field === 'input_value' ? 'input' : 'value')
  if (isOf('Webhook')) return (field) => (field === 'data' ? 'input' : 'value')
  const variables = variablesOf(node)
  return (field) => (variables.has(field) ? 'input' : 'value')
}

/** The variables of the prompts of a node that have a field. */
export function variablesOf({ template, details }: NodeEntry): ReadonlySet<string> {
  const names = Object.entries(template).flatMap(([name, field]) => {
    if (!isObject(field) || !PROMPTS.has(ownText(field, 'type') ?? '')) return []
    const listed = own(ownObject(details, 'custom_fields') ?? {}, name)
    return namesIn(ownText(field, 'value') ?? '', ownText(field, 'type') === 'mustache', listed)
  })
  return new Set(names.filter((name) => isObject(own(template, name))))
}

function namesIn(text: string, mustache: boolean, listed: unknown): readonly string[] {
  try {
    return promptVariables(text, { mustache })
  } catch {
    // A text that is no template: the editor's list of earlier.
    return Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : []
  }
}

/** The type of a node's selected output. */
export function outputType({ raw, details }: NodeEntry): string {
  const listed = own(details, 'outputs')
  const outputs = (Array.isArray(listed) ? listed : []).filter(isObject)
  const shown = outputs.filter((output) => own(output, 'hidden') !== true)
  const selected = ownText(ownObject(raw, 'data') ?? {}, 'selected_output')
  const chosen = shown.find((output) => ownText(output, 'name') === selected)
  const types = new Set((chosen === undefined ? shown : [chosen]).map(typeOf))
  const [type] = types
  return types.size === 1 && type !== undefined ? type : 'unknown'
}

function typeOf(output: Readonly<Record<string, unknown>>): string {
  const types = own(output, 'types')
  const first: unknown = Array.isArray(types) ? types[0] : undefined
  const name = ownText(output, 'selected') || (typeof first === 'string' ? first : '')
  return Object.hasOwn(VALUES, name) ? (VALUES[name] ?? 'unknown') : 'unknown'
}
