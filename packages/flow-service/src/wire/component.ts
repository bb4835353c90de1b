import { z } from 'zod'
import type { NodeTemplate } from '@x/flow-engine'
import { anything, bool, dict, maybe, orNull, text } from './scalars.ts'

/** Source code, and the node whose values are kept. */
export const CustomComponent = z
  .object({ code: text(), frontend_node: orNull(dict()) })
  .meta({ id: 'CustomComponent' })

/** A change of a node in the editor. */
export const CustomComponentUpdate = z
  .object({
    code: text(),
    frontend_node: maybe(dict()),
    field: text(),
    field_value: anything().optional(),
    template: dict(),
    tool_mode: bool().default(false),
  })
  .meta({ id: 'CustomComponentUpdate' })

/** Converts the template of a request to the engine's form. */
export function templateFromWire(template: Record<string, unknown>): NodeTemplate {
  const unread: unknown = template
  return unread as NodeTemplate
}
