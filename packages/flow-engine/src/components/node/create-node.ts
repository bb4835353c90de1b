import { createSystemRuntime, isObject } from '@x/wire'
import { outputToNode } from '../define/template.ts'
import { componentToNode } from '../registry/catalogue.ts'
import type { Component } from '../define/component.ts'
import { toolOutputs } from '../tools/component-tools.ts'
import type {
  FlowNode,
  NodeDetails,
  NodeTemplate,
  TemplateField,
} from '../../graph/flow/node-json.ts'
import { toolMetadataField, toolRow, toolsetOutput } from '../tools/tool-metadata.ts'

export interface CreateNodeOptions {
  /** Default `<type>-<five characters>`. */
  readonly id?: string
  /** Field values; for file fields the path or paths. Names without a field are added as fields. */
  readonly values?: Readonly<Record<string, unknown>>
  readonly displayName?: string
  readonly frozen?: boolean
  readonly toolMode?: boolean
  readonly position?: { readonly x: number; readonly y: number }
}

const runtime = createSystemRuntime()

/** Creates a flow node, as the editor does when a component is dropped. */
export function createNode(component: Component, options: CreateNodeOptions = {}): FlowNode {
  const id = options.id ?? `${component.type}-${runtime.uuid().slice(0, 5)}`
  const details = componentToNode(component)
  // Without a prototype, every field name is an ordinary key.
  details.template = Object.assign(Object.create(null) as NodeTemplate, details.template)
  if (options.displayName !== undefined) details.display_name = options.displayName
  if (options.frozen === true) details.frozen = true
  for (const [name, value] of Object.entries(options.values ?? {})) {
    details.template[name] = withValue(templateField(details.template, name) ?? { name }, value)
  }
  if (component.nodeOutputs !== undefined) {
    const names = Object.keys(component.inputs)
    const values = names.map((name) => [name, templateField(details.template, name)?.value])
    const outputs = component.nodeOutputs(Object.fromEntries(values))
    details.outputs = Object.entries(outputs).map(([name, made]) => outputToNode(name, made))
  }
  if (options.toolMode === true) switchToolMode(component, details, true)
  return {
    id,
    type: 'genericNode',
    position: { x: options.position?.x ?? 0, y: options.position?.y ?? 0 },
    data: { id, type: component.type, node: details },
  }
}

/** Returns the field of that name; inherited names and plain entries of a template do not count. */
export function templateField(template: NodeTemplate, name: string): TemplateField | undefined {
  const entry: unknown = Object.hasOwn(template, name) ? template[name] : undefined
  return isObject(entry) ? entry : undefined
}

/** Returns the field with a new value; for a file field, the path or paths. */
export function withValue(field: TemplateField, value: unknown): TemplateField {
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
