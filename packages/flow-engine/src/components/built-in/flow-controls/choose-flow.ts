import type { RefreshContext } from '../../define/refresh-context.ts'
import type { FlowJson, NodeTemplate } from '../../../graph/flow/node-json.ts'
import { templateField } from '../../node/create-node.ts'
import type { ComponentTool } from '../../define/component.ts'
import { toolMetadataField, toolRow } from '../../tools/tool-metadata.ts'
import {
  findFlow,
  inputFields,
  innerName,
  inputNodes,
  outerName,
  type FlowChoice,
} from './inner-flow.ts'

/** Offers the user's flows in a field of a node; returns the selected flow, if any. */
export async function offerFlows(
  template: NodeTemplate,
  { field, value }: { readonly field: string; readonly value: unknown },
  { services: { flows }, userId }: RefreshContext,
): Promise<FlowJson | undefined> {
  const chooser = templateField(template, field)
  const scope = userId === undefined ? {} : { userId }
  const names = (await flows?.names?.(scope)) ?? []
  if (chooser !== undefined) chooser.options = [...names]
  if (typeof value !== 'string' || value === '') return undefined
  return (await flows?.get(value, scope)) ?? undefined
}

/**
 * Lists the action of the selected flow while the node is in tool mode, with the edits of an earlier action of
 * that name; none if no flow is selected.
 * @throws TypeError if the user has no such flow
 */
export async function listActions(
  template: NodeTemplate,
  choice: FlowChoice,
  toTool: (flow: FlowJson) => Pick<ComponentTool, 'name' | 'description' | 'parameters'>,
  ctx: RefreshContext,
): Promise<void> {
  if (!ctx.toolMode) return
  const isChosen = choice.name !== '' || (choice.id ?? '') !== ''
  const rows = isChosen ? [toolRow(toTool(await findFlow(ctx, choice)))] : []
  const before = templateField(template, 'tools_metadata')?.value
  template['tools_metadata'] = toolMetadataField(rows, before)
}

/** The text of a field in the editor; empty for other values. */
export function textIn(template: NodeTemplate, name: string): string {
  const value = templateField(template, name)?.value
  return typeof value === 'string' ? value : ''
}

/** Replaces the fields of a previously selected flow with the fields of this flow's inputs. */
export function showFields(template: NodeTemplate, flow: FlowJson): NodeTemplate {
  const own = Object.entries(template).filter(([name]) => innerName(name) === undefined)
  const shown = inputNodes(flow).flatMap((node) =>
    inputFields(node).map(([name, definition]) => {
      const outer = outerName(node.id, name)
      const kept = templateField(template, outer)
      const title = `${node.data.node.display_name ?? node.data.type} - ${definition.display_name ?? name}`
      const value = kept === undefined ? definition.value : kept.value
      // Text fields accept edges here, even if the inner field does not.
      const takes = definition.type === 'str' && !definition.input_types?.length
      const types = takes ? { input_types: ['Message'] } : {}
      return [outer, { ...definition, ...types, name: outer, display_name: title, value }] as const
    }),
  )
  return Object.fromEntries([...own, ...shown])
}
