import { declaredOutputs } from '../registry/catalogue.ts'
import { isVendorKey } from '../../outgoing/vendors.ts'
import { refreshPicker } from './refresh-picker.ts'
import type { Component } from '../define/component.ts'
import { switchToolMode, templateField, withValue } from './create-node.ts'
import type {
  FlowNode,
  NodeDetails,
  NodeTemplate,
  TemplateField,
} from '../../graph/flow/node-json.ts'
import type { RefreshContext } from '../define/refresh-context.ts'
import type { ComponentServices } from '../define/services.ts'
import { fieldToTemplate, outputToNode } from '../define/template.ts'
import { toolsetOutput } from '../tools/tool-metadata.ts'

export interface NodeChange {
  readonly field: string
  readonly value: unknown
  /** Default: the node's current mode. */
  readonly toolMode?: boolean
}

export interface RefreshOptions {
  readonly services?: ComponentServices
  readonly userId?: string
  readonly signal?: AbortSignal
}

/**
 * Returns a new node after a field changed or tool mode was switched in the editor; the given
 * node is not modified. Rejects with the error of the component's `refresh`.
 */
export async function refreshNode(
  component: Component,
  node: FlowNode,
  change: NodeChange,
  options: RefreshOptions = {},
): Promise<FlowNode> {
  const changed = structuredClone(node)
  const { template } = changed.data.node
  const present = templateField(template, change.field)
  if (present !== undefined) template[change.field] = withValue(present, change.value)
  const details = await refreshDetails(component, changed.data.node, change, options)
  return { ...changed, data: { ...changed.data, node: details } }
}

/**
 * Does the same for `data.node` alone, as in the update operation: the editor has already stored the new
 * value there, other clients may not have.
 */
export async function refreshDetails(
  component: Component,
  before: NodeDetails,
  change: NodeChange,
  options: RefreshOptions = {},
): Promise<NodeDetails> {
  const details = structuredClone(before)
  const toolMode =
    change.toolMode ??
    (change.field === 'tool_mode' ? change.value === true : before.tool_mode === true)
  const wasTool = before.tool_mode === true
  const outputs =
    wasTool || details.outputs === undefined ? declaredOutputs(component) : details.outputs
  const held = templateField(details.template, change.field)?.value ?? change.value
  const present = templateField(details.template, change.field)
  // No other key follows from the value: the editor sends them, such as the stored path of a file.
  if (present !== undefined) details.template[change.field] = { ...present, value: change.value }

  const ctx = refreshContext(component, details.template, { outputs, toolMode, held }, options)
  await refreshPicker(details.template, change, ctx)
  const update = await component.refresh?.(details.template, change.field, change.value, ctx)
  details.template = update?.template ?? details.template
  details.outputs = [...(update?.outputs ?? outputs)]
  if (update?.customFields !== undefined) details.custom_fields = { ...update.customFields }

  if (!toolMode) {
    switchToolMode(component, details, false)
  } else if (
    component.toTools === undefined ||
    templateField(details.template, 'tools_metadata') === undefined
  ) {
    switchToolMode(component, details, true)
  } else {
    details.tool_mode = true
    details.outputs = [toolsetOutput()]
  }
  return details
}

function refreshContext(
  component: Component,
  template: NodeTemplate,
  given: Pick<RefreshContext, 'outputs' | 'toolMode' | 'held'>,
  { services = {}, userId, signal = new AbortController().signal }: RefreshOptions,
): RefreshContext {
  return {
    services,
    ...(userId === undefined ? {} : { userId }),
    signal,
    ...given,
    resolve: (name) =>
      resolveField(templateField(template, name), {
        services,
        userId,
        takesKeys: takesKeys(component, name),
      }),
    output(name, definition = component.outputs[name]) {
      if (definition === undefined) throw new TypeError(`${component.type} has no output ${name}`)
      return outputToNode(name, definition)
    },
    field: fieldToTemplate,
  }
}

/** Tests whether a field may use a key from the server's environment. */
function takesKeys({ inputs, sandboxed = false }: Component, name: string): boolean {
  const declared = Object.hasOwn(inputs, name) ? inputs[name] : undefined
  return declared?.fieldKind === 'secret' && !sandboxed
}

interface Lookup {
  readonly services: ComponentServices
  readonly userId: string | undefined
  readonly takesKeys: boolean
}

/**
 * Returns the value, or the value of the variable that it names; null if the variable is not found.
 */
async function resolveField(
  field: TemplateField | undefined,
  { services, userId, takesKeys: isSecret }: Lookup,
): Promise<unknown> {
  const value = field?.value
  if (field?.load_from_db !== true || typeof value !== 'string' || value === '') return value
  const scope = { ...(userId === undefined ? {} : { userId }), flowId: '' }
  const found = await services.variables?.get(value, scope)
  if (found !== undefined && found !== null) return found
  const { environment } = services
  if (isVendorKey(value) && !isSecret) return null
  return environment !== undefined && Object.hasOwn(environment, value) ? environment[value] : null
}
