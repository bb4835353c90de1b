import type { OutputDefinition } from './output.ts'
import type { Field } from './field.ts'
import type { NodeOutput, NodeTemplate, TemplateField } from '../../graph/flow/node-json.ts'
import type { ComponentServices } from './services.ts'

/**
 * The changes made by `refresh`: a missing key keeps the template as passed, or the outputs unchanged
 * (FE-47).
 */
export interface NodeUpdate {
  readonly template?: NodeTemplate
  readonly outputs?: readonly NodeOutput[]
  /** Names of the fields that belong to a prompt, by prompt field. */
  readonly customFields?: Readonly<Record<string, readonly string[]>>
}

export interface RefreshContext {
  readonly services: Readonly<ComponentServices>
  readonly userId?: string | undefined
  readonly signal: AbortSignal
  readonly toolMode: boolean
  /** The value of the field as it was sent: the new one, as the editor sends it, or still the old one. */
  readonly held: unknown
  /** The node's outputs before the change. */
  readonly outputs: readonly NodeOutput[]
  /** The value of a field of the template, the variable that it names looked up (FE-20). Never put it into the template. */
  resolve(field: string): Promise<unknown>
  /** The wire form of an output; by default of a declared one. */
  output(name: string, definition?: OutputDefinition): NodeOutput
  /** The wire form of a field definition. */
  field(name: string, definition: Field): TemplateField
}
