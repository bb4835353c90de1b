import { z } from 'zod'
import type { NodeTemplate } from '@x/flow-engine'
import type { PromptUpdate } from '@x/flow-engine/internal'
import { bool, dict, int, maybe, orNull, text } from './scalars.ts'

/** Source code to check. */
export const CodeCheck = z.object({ code: text() }).meta({ id: 'CodeCheck' })

const Errors = z.strictObject({ errors: z.array(z.string()) })

/** The problems of source code. */
export const CodeReport = z
  .strictObject({ imports: Errors, function: Errors })
  .meta({ id: 'CodeReport' })

const texts = () => z.array(text())

/** The node a prompt belongs to; unknown keys are dropped. */
const PromptNode = z
  .object({
    template: dict(),
    description: orNull(text()),
    icon: orNull(text()),
    is_input: orNull(bool()),
    is_output: orNull(bool()),
    is_composition: orNull(bool()),
    base_classes: texts(),
    name: text().default(''),
    display_name: text().nullable().default(''),
    priority: orNull(int()),
    documentation: text().default(''),
    minimized: bool().default(false),
    custom_fields: dict()
      .nullable()
      .default(() => ({})),
    output_types: texts().default(() => []),
    full_path: orNull(text()),
    pinned: bool().default(false),
    conditional_paths: texts().default(() => []),
    frozen: bool().default(false),
    outputs: z.array(z.looseObject({ name: text() })).default(() => []),
    field_order: texts().default(() => []),
    beta: bool().default(false),
    legacy: bool().default(false),
    replacement: orNull(texts()),
    error: orNull(text()),
    edited: bool().default(false),
    metadata: dict().default(() => ({})),
    tool_mode: bool().default(false),
  })
  .meta({ id: 'PromptNode' })

/** A prompt and the node it belongs to. */
export const PromptCheck = z
  .object({
    name: text(),
    template: text(),
    custom_fields: maybe(dict()),
    frontend_node: orNull(PromptNode),
    mustache: z.boolean().nullish(),
  })
  .meta({ id: 'PromptCheck' })

/** The variables of a prompt, and the node with a field for each of them. */
export const PromptReport = z
  .strictObject({
    input_variables: z.array(z.string()),
    frontend_node: z.looseObject({}).nullable(),
  })
  .meta({ id: 'PromptReport' })

type PromptNodeValue = z.output<typeof PromptNode>

/** Converts the template of a node to the engine's form. */
export function templateOf(node: PromptNodeValue): NodeTemplate {
  const template: unknown = node.template
  return template as NodeTemplate
}

/** Adds the fields of its prompt to a node. */
export function promptNodeToWire(
  node: PromptNodeValue,
  update: PromptUpdate,
): Record<string, unknown> {
  return {
    ...node,
    display_name: node.display_name || node.name,
    template: update.template,
    custom_fields: node.custom_fields === null ? null : update.customFields,
  }
}
