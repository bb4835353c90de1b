import { z } from 'zod'
import type { NodeTemplate } from '../graph/flow/node-json.ts'
import type { PromptUpdate } from '../components/built-in/models-and-agents/prompt-variables.ts'
import { reader } from './reader.ts'
import { dict, maybe, orNull, text } from './scalars.ts'

/** Source code to check. */
export const CodeCheck = z.object({ code: text() }).meta({ id: 'CodeCheck' })

const Errors = z.strictObject({ errors: z.array(z.string()) })

/** The problems of source code. */
export const CodeReport = z
  .strictObject({ imports: Errors, function: Errors })
  .meta({ id: 'CodeReport' })

const any = reader<unknown>({}, (value) => value)

/** The node a prompt belongs to; unknown keys are dropped. */
const PromptNode = z
  .object({
    template: dict(),
    description: orNull(any),
    icon: orNull(any),
    is_input: orNull(any),
    is_output: orNull(any),
    is_composition: orNull(any),
    base_classes: z.array(any),
    name: any.default(''),
    display_name: any.default(''),
    priority: orNull(any),
    documentation: any.default(''),
    minimized: any.default(false),
    custom_fields: any.default(() => ({})),
    output_types: any.default(() => []),
    full_path: orNull(any),
    pinned: any.default(false),
    conditional_paths: any.default(() => []),
    frozen: any.default(false),
    outputs: any.default(() => []),
    field_order: any.default(() => []),
    beta: any.default(false),
    legacy: any.default(false),
    replacement: orNull(any),
    error: orNull(any),
    edited: any.default(false),
    metadata: any.default(() => ({})),
    tool_mode: any.default(false),
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
    display_name: node.display_name === '' ? node.name : node.display_name,
    template: update.template,
    custom_fields: update.customFields,
  }
}
