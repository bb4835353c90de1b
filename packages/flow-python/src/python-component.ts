import { isObject } from '@x/wire'
import type { Component, RefreshContext, AnyFieldOptions } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import type { Field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import type { NodeDetails, NodeOutput, NodeTemplate, TemplateField } from '@x/flow-engine'
import { kindOfTemplate } from '@x/flow-engine/internal'
import type { ClassDescription } from './class-description.ts'
import type { PythonCalls } from './python-calls.ts'

/** Creates the component of a class, as shown in the editor. */
export function componentOfClass(
  code: string,
  { type, facts, fieldOrder, inputs, outputs, refreshes }: ClassDescription,
  calls: PythonCalls,
): Component {
  const named = new Map(inputs.map((one) => [String(one.name), toField(one)]))
  const order = [...(fieldOrder ?? []).filter((name) => named.has(name)), ...named.keys()]
  const fields = [...new Set(order)].map((name) => [name, named.get(name)] as [string, Field])
  return defineComponent({
    ...factsOf(facts),
    type,
    sandboxed: true,
    idempotent: facts['idempotent'] === true,
    inputs: Object.fromEntries(fields),
    outputs: outputsOf(code, outputs, calls),
    ...(refreshes
      ? {
          refresh: async (template: NodeTemplate, field: string, value: unknown, ctx) => {
            const made = await calls.update(code, { template, field, value }, ctx)
            return { template: completed(made.template, ctx), outputs: made.outputs.map(selecting) }
          },
        }
      : {}),
  })
}

/** Creates the component of a node that contains code, using the node's own template and outputs. */
export function componentOfNode(code: string, node: NodeDetails, calls: PythonCalls): Component {
  const { template, outputs = [], display_name: displayName } = node
  const fields = Object.entries(template)
    .filter(([name, field]) => name !== 'code' && isObject(field))
    .map(([name, field]): [string, Field] => [name, toField(field)])
  return defineComponent({
    type: 'python',
    ...(displayName === undefined ? {} : { displayName }),
    sandboxed: true,
    idempotent: IDEMPOTENT_ATTRIBUTE.test(code),
    inputs: Object.fromEntries(fields),
    outputs: outputsOf(code, outputs, calls),
  })
}

/** Finds the class attribute `idempotent` in the source, because nodes are not described again. */
const IDEMPOTENT_ATTRIBUTE = /^[ \t]+idempotent[ \t]*(?::[ \t]*bool[ \t]*)?=[ \t]*True\b/m

function outputsOf(code: string, outputs: readonly NodeOutput[], calls: PythonCalls) {
  const methods = outputs.map(({ name, method }) => ({ name, method: method ?? name }))
  const declared = outputs.map((one) => {
    const { name, method, types } = one
    const made = output.any({
      ...definitionOf(one),
      types: types ?? [],
      method: method ?? name,
      run: (values: Readonly<Record<string, unknown>>, ctx: ComponentContext) =>
        calls.run(code, { methods, values, ctx }).then((results) => results[name]),
    })
    return [name, made] as const
  })
  return Object.fromEntries(declared)
}

/** Converts an output description to an output definition; values of the wrong type are ignored. */
function definitionOf(given: NodeOutput) {
  const { display_name: displayName, required_inputs: inputs, loop_types: loops } = given
  return {
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...flag('cache', given.cache),
    ...flag('hidden', given.hidden === true ? true : undefined),
    ...flag('toolMode', given.tool_mode),
    ...flag('groupOutputs', given.group_outputs),
    ...flag('allowsLoop', given.allows_loop),
    ...(Array.isArray(inputs) ? { requiredInputs: inputs.map(String) } : {}),
    ...(Array.isArray(loops) ? { loopTypes: loops.map(String) } : {}),
  }
}

function flag<K extends string>(name: K, value: unknown): { readonly [P in K]?: boolean } {
  return typeof value === 'boolean' ? ({ [name]: value } as { readonly [P in K]: boolean }) : {}
}

/** Input attributes that map to field options; all others keep their template spelling. */
const OPTIONS: Readonly<Record<string, keyof AnyFieldOptions>> = {
  display_name: 'displayName',
  info: 'info',
  placeholder: 'placeholder',
  value: 'default',
  required: 'required',
  advanced: 'advanced',
  show: 'show',
  list: 'list',
  input_types: 'inputTypes',
  tool_mode: 'toolMode',
  load_from_db: 'loadFromDb',
  real_time_refresh: 'refresh',
  dynamic: 'dynamic',
  combobox: 'combobox',
  limit: 'limit',
}

const NO_ATTRIBUTE = new Set(['name', '_input_type', 'type'])

function toField(wire: TemplateField): Field {
  const options: Record<string, unknown> = {}
  const attributes: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(wire)) {
    const option = OPTIONS[key]
    if (option !== undefined) {
      if (value !== null && value !== undefined) options[option] = value
    } else if (!NO_ATTRIBUTE.has(key)) attributes[key] = value
  }
  if (wire.is_list === true) options['list'] = true
  if (Array.isArray(wire.options) && wire.options.every((one) => typeof one === 'string')) {
    options['options'] = wire.options
  }
  const kind = kindOfTemplate(wire)
  // The class may fill or ignore its options itself.
  const closed = { closed: false }
  return { fieldKind: kind, options: { ...options, ...closed, attributes: renamed(attributes) } }
}

/** Renames attributes whose names differ between classes and templates. */
function renamed({ table_schema: schema, ...rest }: Record<string, unknown>) {
  if (schema === undefined) return rest
  const columns = isObject(schema) && 'columns' in schema ? schema['columns'] : schema
  return { ...rest, table_schema: columns }
}

/** Fields that the class has made anew have but the keys that it named. */
function completed(template: NodeTemplate, ctx: Pick<RefreshContext, 'field'>): NodeTemplate {
  const entries = Object.entries(template).map(([name, wire]) => {
    const isNew = isObject(wire) && '_input_type' in wire && !('show' in wire)
    return [name, isNew ? { ...ctx.field(name, toField(wire)), ...wire } : wire] as const
  })
  return Object.fromEntries(entries)
}

function selecting(made: NodeOutput): NodeOutput {
  const [first] = made.types ?? []
  return {
    ...made,
    ...(made.selected === undefined && first !== undefined ? { selected: first } : {}),
  }
}

function factsOf(facts: Readonly<Record<string, unknown>>) {
  const { display_name: displayName, description, icon, documentation, priority } = facts
  return {
    ...(typeof displayName === 'string' ? { displayName } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof icon === 'string' ? { icon } : {}),
    ...(typeof documentation === 'string' ? { documentation } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
    beta: facts['beta'] === true,
    legacy: facts['legacy'] === true,
    minimized: facts['minimized'] === true,
  }
}
