import {
  createFlow,
  isFlowError,
  type Component,
  type FlowNode,
  type NodeOptions,
  type ToolEdit,
  variable,
} from '@x/flow-engine'
import { outputNames, templateField, toolEdits } from '@x/flow-engine/internal'
import { isObject, own, ownObject, ownText } from '@x/wire'
import { library } from './library.ts'
import { runMetadata, type RunMetadata } from './run-metadata.ts'

type Json = Readonly<Record<string, unknown>>

/** Options of `flow.add`, with values that may be changed. */
export interface AddOptions {
  id: string
  type?: string
  displayName?: string
  frozen?: true
  toolMode?: true
  outputs?: string | readonly string[]
  without?: readonly string[]
  values?: Record<string, unknown>
  fields?: Record<string, unknown>
  attributes?: Record<string, Record<string, unknown>>
  tools?: Record<string, ToolEdit>
}

/** What a run reads of a template field. */
const ATTRIBUTES = [
  'type',
  '_input_type',
  'show',
  'required',
  'list',
  'is_list',
  'load_from_db',
  'password',
  'display_name',
  'input_types',
  'override_skip',
] as const

/**
 * The options with which a component gives a node that runs as the given one; undefined if there are none.
 * @param node in canonical form
 */
export function ejectNode(node: Json, component: Component): AddOptions | undefined {
  const data = ownObject(node, 'data') ?? {}
  const details = ownObject(data, 'node') ?? {}
  const template = ownObject(details, 'template') ?? {}
  const type = ownText(data, 'type')
  const displayName = ownText(details, 'display_name') || component.displayName
  const options: AddOptions = {
    id: String(own(node, 'id')),
    ...(type === undefined || type === component.type ? {} : { type }),
    ...(displayName === component.displayName ? {} : { displayName }),
    ...(own(details, 'frozen') === true ? { frozen: true } : {}),
    ...(own(details, 'tool_mode') === true ? { toolMode: true } : {}),
  }
  const wanted = runMetadata(node, library().registry)
  let built = builtNode(component, options)
  for (const change of [
    selectOutput,
    leaveOut,
    setDeclared,
    setValues,
    setAttributes,
    listOutputs,
    editTools,
  ]) {
    if (built === undefined) return undefined
    const step: Step = { template, details, data, component, options, wanted, built }
    if (change(step)) built = builtNode(component, options)
  }
  if (built === undefined) return undefined
  return isSame(runMetadata(built, library().registry), wanted) ? options : undefined
}

/** The node that the options give; undefined if they do not fit the component. */
export function builtNode(component: Component, options: AddOptions): FlowNode | undefined {
  const flow = createFlow()
  try {
    flow.add(component, options as NodeOptions)
  } catch (error) {
    if (isFlowError(error)) return undefined
    throw error
  }
  return flow.toJSON().data?.nodes?.[0]
}

interface Step {
  readonly template: Json
  readonly details: Json
  readonly data: Json
  readonly component: Component
  readonly options: AddOptions
  readonly wanted: RunMetadata
  readonly built: FlowNode
}

function isSame(a: RunMetadata, b: RunMetadata): boolean {
  return a.node === b.node && differing(a, b).length === 0
}

/** The fields that run otherwise, in order of the wanted. */
function differing(built: RunMetadata, wanted: RunMetadata): string[] {
  const names = new Set([...wanted.fields.keys(), ...built.fields.keys()])
  return [...names].filter(
    (name) => (wanted.fields.get(name) || '') !== (built.fields.get(name) || ''),
  )
}

function differences({ built, wanted }: Step): string[] {
  return differing(runMetadata(built, library().registry), wanted)
}

function selectOutput({ data, details, options }: Step): boolean {
  const selected = ownText(data, 'selected_output')
  const [first] = outputNames(own(details, 'outputs'))
  if (selected === undefined || selected === first || options.toolMode === true) return false
  options.outputs = selected
  return true
}

function leaveOut(step: Step): boolean {
  const { template, built, options } = step
  const differs = new Set(differences(step))
  const absent = Object.keys(built.data.node.template).filter(
    (name) => !Object.hasOwn(template, name) && differs.has(name),
  )
  if (absent.length === 0) return false
  options.without = absent
  return true
}

/** First of all: the text of a prompt gives further fields. */
function setDeclared(step: Step): boolean {
  return setValues(step, (name) => Object.hasOwn(step.component.inputs, name))
}

function setValues(step: Step, takes = (_name: string): boolean => true): boolean {
  const { template, component, options, built } = step
  const differs = new Set(differences(step))
  let isChanged = false
  for (const [name, field] of Object.entries(template)) {
    const value = differs.has(name) && takes(name) && isObject(field) ? valueOf(field) : undefined
    if (value === undefined || name === 'tools_metadata') continue
    const present = templateField(built.data.node.template, name)
    const same = present !== undefined && JSON.stringify(valueOf(present)) === JSON.stringify(value)
    if (same) continue
    const key = Object.hasOwn(component.inputs, name) ? 'values' : 'fields'
    options[key] = withEntry(options[key], name, value)
    isChanged = true
  }
  return isChanged
}

/** A value, or the variable that it names; for a file field the path. */
function valueOf(field: Json): unknown {
  const value = own(field, 'value')
  if (own(field, 'type') === 'file') return own(field, 'file_path')
  if (own(field, 'load_from_db') === true && typeof value === 'string' && value !== '')
    return variable(value)
  return value
}

function setAttributes(step: Step): boolean {
  const { template, built, options } = step
  let isChanged = false
  for (const name of differences(step)) {
    const field = ownObject(template, name)
    if (field === undefined || name === 'tools_metadata') continue
    const present: Json = templateField(built.data.node.template, name) ?? {}
    const changed = ATTRIBUTES.flatMap((key) => {
      const value = own(field, key)
      const isEqual = JSON.stringify(value) === JSON.stringify(own(present, key))
      return isEqual || value === undefined ? [] : [[key, value] as const]
    })
    if (changed.length === 0) continue
    options.attributes = withEntry(options.attributes, name, Object.fromEntries(changed))
    isChanged = true
  }
  return isChanged
}

function listOutputs({ details, built, options, component }: Step): boolean {
  if (options.toolMode === true || component.nodeOutputs !== undefined) return false
  const listed = own(details, 'outputs')
  if (!Array.isArray(listed)) return false
  const names = outputNames(listed)
  if (JSON.stringify(names) === JSON.stringify(outputNames(built.data.node.outputs))) return false
  const known = names.filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(component.outputs, name),
  )
  options.outputs = [...new Set(known)]
  return true
}

function editTools({ template, built, options, component }: Step): boolean {
  if (options.toolMode !== true) return false
  const rows = (from: Json): unknown => own(ownObject(from, 'tools_metadata') ?? {}, 'value')
  const before = toolEdits(rows(built.data.node.template))
  const edits: Record<string, ToolEdit> = {}
  for (const [tag, edit] of toolEdits(rows(template))) {
    const plain = before.get(tag)
    // Only a component that makes its own tools has others than its outputs.
    if (plain === undefined && component.toTools === undefined) continue
    const changed = Object.fromEntries(
      Object.entries(edit).filter(
        ([key, value]) =>
          JSON.stringify(value) !== JSON.stringify(Reflect.get(plain ?? { name: tag }, key)),
      ),
    )
    if (Object.keys(changed).length > 0) Object.assign(edits, withEntry({}, tag, changed))
  }
  if (Object.keys(edits).length === 0) return false
  options.tools = edits
  return true
}

/** Keeps `__proto__` an ordinary key. */
function withEntry<T>(
  before: Record<string, T> | undefined,
  key: string,
  value: T,
): Record<string, T> {
  return Object.fromEntries([
    ...Object.entries(before ?? {}).filter(([name]) => name !== key),
    [key, value],
  ])
}
