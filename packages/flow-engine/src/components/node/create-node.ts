import { createSystemRuntime, isObject } from '@x/wire'
import { invalidRequest } from '../../errors.ts'
import { fieldToTemplate, outputToNode } from '../define/template.ts'
import { componentToNode } from '../registry/catalogue.ts'
import type { Component } from '../define/component.ts'
import { toolOutputs } from '../tools/component-tools.ts'
import type {
  FlowNode,
  NodeDetails,
  NodeOutput,
  NodeTemplate,
  TemplateField,
} from '../../graph/flow/node-json.ts'
import {
  toolMetadataField,
  toolRow,
  toolsetOutput,
  withToolEdits,
  type ToolEdit,
} from '../tools/tool-metadata.ts'
import { embeddedDetails } from './embedded-component.ts'
import { isFlowVariable } from './flow-variable.ts'

export interface CreateNodeOptions {
  /** Default `<type>-<five characters>`. */
  readonly id?: string
  /** The name that the node has as its type. Default: the type of the component. */
  readonly type?: string
  /**
   * Field values, or a `variable` to load; for file fields the path or paths. Names without a field are added as
   * fields.
   */
  readonly values?: Readonly<Record<string, unknown>>
  readonly displayName?: string
  readonly frozen?: boolean
  readonly toolMode?: boolean
  /** The output that the editor shows, or the names of all outputs of the node. */
  readonly outputs?: string | readonly string[]
  /** Fields of the component that the node lacks, as nodes of other versions do. */
  readonly without?: readonly string[]
  /** Changes of the tools of a node in tool mode, by the tool's own name. */
  readonly tools?: Readonly<Record<string, ToolEdit>>
  /** Attributes of template fields that differ from the component's, such as `{ sender: { show: false } }`. */
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly position?: { readonly x: number; readonly y: number }
}

const runtime = createSystemRuntime()

/** Creates a flow node, as the editor does when a component is dropped. */
export function createNode(component: Component, options: CreateNodeOptions = {}): FlowNode {
  const id = options.id ?? `${component.type}-${runtime.uuid().slice(0, 5)}`
  const details = detailsOf(component, options)
  const { type = component.type, outputs } = options
  return {
    id,
    type: 'genericNode',
    position: { x: options.position?.x ?? 0, y: options.position?.y ?? 0 },
    data: {
      id,
      type,
      node: details,
      ...(typeof outputs === 'string' ? { selected_output: outputs } : {}),
    },
  }
}

function detailsOf(component: Component, options: CreateNodeOptions): NodeDetails {
  const details = embeddedDetails(component) ?? componentToNode(component)
  // Without a prototype, every field name is an ordinary key.
  const template = Object.assign(Object.create(null) as NodeTemplate, details.template)
  details.template = template
  for (const name of options.without ?? []) delete template[name]
  if (options.displayName !== undefined) details.display_name = options.displayName
  if (options.frozen === true) details.frozen = true
  for (const [name, value] of Object.entries(options.values ?? {}))
    template[name] = withValue(fieldOf(component, template, name), value)
  for (const [name, attributes] of Object.entries(options.attributes ?? {}))
    template[name] = { ...fieldOf(component, template, name), ...attributes }
  const shown = outputsOf(component, template, options.outputs)
  if (shown !== undefined) details.outputs = shown
  if (options.toolMode === true) {
    switchToolMode(component, details, true)
    const rows = templateField(template, 'tools_metadata')
    if (rows !== undefined && options.tools !== undefined)
      template.tools_metadata = { ...rows, value: withToolEdits(rows.value, options.tools) }
  }
  return details
}

/** The field of the node, else the one that the component declares, else a new one. */
function fieldOf(component: Component, template: NodeTemplate, name: string): TemplateField {
  const present = templateField(template, name)
  if (present !== undefined) return present
  const declared = Object.hasOwn(component.inputs, name) ? component.inputs[name] : undefined
  return declared === undefined ? { name } : fieldToTemplate(name, declared)
}

/** The outputs that depend on the values of the node or were chosen; undefined: those of the component. */
function outputsOf(
  { inputs, outputs, nodeOutputs }: Component,
  template: NodeTemplate,
  chosen: CreateNodeOptions['outputs'],
): NodeOutput[] | undefined {
  if (nodeOutputs !== undefined) {
    const values = Object.keys(inputs).map((name) => [name, templateField(template, name)?.value])
    const made = nodeOutputs(Object.fromEntries(values))
    return Object.entries(made).map(([name, output]) => outputToNode(name, output))
  }
  if (chosen === undefined || typeof chosen === 'string') return undefined
  return chosen.map((name) => {
    const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined
    if (output === undefined) throw invalidRequest(`The component has no output ${name}`)
    return outputToNode(name, output)
  })
}

/** Returns the field of that name; inherited names and plain entries of a template do not count. */
export function templateField(template: NodeTemplate, name: string): TemplateField | undefined {
  const entry: unknown = Object.hasOwn(template, name) ? template[name] : undefined
  return isObject(entry) ? entry : undefined
}

/** Returns the field with a new value or variable; for a file field, the path or paths. */
export function withValue(field: TemplateField, value: unknown): TemplateField {
  if (isFlowVariable(value)) return { ...field, value: value.variable, load_from_db: true }
  return field.type === 'file' ? { ...field, file_path: value } : { ...field, value }
}

/** Switches tool mode on or off: the single toolset output and the list of actions. */
export function switchToolMode(component: Component, details: NodeDetails, on: boolean): void {
  details.tool_mode = on
  if (!on) {
    delete details.template.tools_metadata
    return
  }
  const before = templateField(details.template, 'tools_metadata')?.value
  const values = Object.fromEntries(
    Object.keys(component.inputs).flatMap((name) => {
      const field = templateField(details.template, name)
      return field === undefined ? [] : [[name, field.value]]
    }),
  )
  const rows = toolOutputs(component, values).map(toolRow)
  details.template.tools_metadata = toolMetadataField(rows, before)
  details.outputs = [toolsetOutput()]
}
