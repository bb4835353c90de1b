import { FlowError } from '../../errors.ts'
import type { Component } from '../define/component.ts'
import type { Field, FieldKind } from '../define/field.ts'
import type { OutputDefinition } from '../define/output.ts'
import { fieldToTemplate } from '../define/template.ts'

/** A JSON Schema of type object. */
export interface ObjectSchema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

/**
 * Builds the argument schema of a tool: the inputs in tool mode, or else all except secrets.
 * Connected handles are excluded, because the flow author has already set them. So are fields of other
 * versions that the node lacks.
 * @param values the node's own values, used as defaults of the arguments
 */
export function toolSchema(
  component: Component,
  definition: OutputDefinition,
  values: Readonly<Record<string, unknown>>,
): ObjectSchema {
  const properties: Record<string, object> = Object.create(null) as Record<string, object>
  const required: string[] = []
  for (const name of argumentNames(component, definition, values)) {
    const field = component.inputs[name]
    if (field === undefined) continue
    const mustGive = field.options.required === true
    if (mustGive) required.push(name)
    properties[name] = argumentSchema(
      name,
      field,
      mustGive ? undefined : plainDefault(name, field, values),
    )
  }
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) }
}

function argumentNames(
  component: Component,
  definition: OutputDefinition,
  values: Readonly<Record<string, unknown>>,
): readonly string[] {
  const inputs = Object.entries(component.inputs).filter(
    ([name, { options }]) => options.newer !== true || Object.hasOwn(values, name),
  )
  const marked = inputs.filter(([, { options }]) => options.toolMode === true).map(([name]) => name)
  if (marked.length > 0) return marked
  const wanted = definition.requiredInputs ?? []
  if (wanted.length > 0) {
    throw new FlowError(
      'component_failed',
      `${component.displayName} cannot be a tool: its inputs ${wanted.join(', ')} are required but not in tool mode`,
    )
  }
  return inputs
    .filter(([, { fieldKind }]) => !NO_ARGUMENT.has(fieldKind))
    .filter(([name, { fieldKind }]) => !HANDLES.has(fieldKind) || !isPlugged(values, name))
    .map(([name]) => name)
}

const NO_ARGUMENT: ReadonlySet<FieldKind> = new Set(['secret', 'mcp', 'connect', 'auth', 'code'])

const HANDLES: ReadonlySet<FieldKind> = new Set([
  'handle',
  'model',
  'embeddings',
  'memory',
  'tools',
  'data',
  'dataFrame',
])

/** Only edges supply objects to handles. */
function isPlugged(values: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = own(values, name)
  return Array.isArray(value) ? value.length > 0 : typeof value === 'object' && value !== null
}

const SCHEMA_TYPES: Readonly<Partial<Record<FieldKind, string>>> = {
  int: 'integer',
  float: 'number',
  slider: 'number',
  bool: 'boolean',
  dict: 'object',
  nestedDict: 'object',
  data: 'object',
}

function argumentSchema(name: string, { fieldKind, options }: Field, preset: unknown): object {
  const type = SCHEMA_TYPES[fieldKind] ?? 'string'
  const choices = (options.options ?? []).filter((option) => typeof option === 'string')
  const limited = (fieldKind === 'dropdown' || fieldKind === 'tab') && choices.length > 0
  const one = { type, ...(limited && options.combobox !== true ? { enum: choices } : {}) }
  const description =
    options.info === undefined || options.info === '' ? (options.displayName ?? name) : options.info
  const rows = fieldKind === 'table' || fieldKind === 'sortableList'
  const many = options.list === true || rows || fieldKind === 'multiselect'
  return {
    ...(many ? { type: 'array', items: rows ? { type: 'object' } : one } : one),
    description,
    ...(preset === undefined ? {} : { default: preset }),
  }
}

/** The node's value if it is plain, else the declared default in wire format. */
function plainDefault(
  name: string,
  field: Field,
  values: Readonly<Record<string, unknown>>,
): unknown {
  const value = own(values, name)
  const plain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return plain ? value : (fieldToTemplate(name, field).value ?? '')
}

function own(values: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(values, name) ? values[name] : undefined
}
