import type { OutputDefinition } from './output.ts'
import type { Field } from './field.ts'
import type { NodeOutput, NodeTemplate, TemplateField } from '../../graph/flow/node-json.ts'
import type { ComponentServices } from './services.ts'

/**
 * The changes made by `refresh`. A missing key means that the template, as passed in, or the outputs stay
 * unchanged.
 */
export interface NodeUpdate {
  readonly template?: NodeTemplate
  readonly outputs?: readonly NodeOutput[]
  /** Names of the fields created by a prompt, by prompt field. */
  readonly customFields?: Readonly<Record<string, readonly string[]>>
}

export interface RefreshContext {
  readonly services: Readonly<ComponentServices>
  readonly userId?: string | undefined
  readonly signal: AbortSignal
  readonly toolMode: boolean
  /**
   * The field's value in the submitted node. Clients may send the new value, as the editor does, or the old
   * one.
   */
  readonly held: unknown
  /** The node's outputs before the change. */
  readonly outputs: readonly NodeOutput[]
  /**
   * Returns a field's value; if it names a variable, the variable's value. Never store it in the
   * template.
   */
  resolve(field: string): Promise<unknown>
  /** Returns the wire format of an output. Default definition: the declared output of that name. */
  output(name: string, definition?: OutputDefinition): NodeOutput
  /** Returns the wire format of a field definition. */
  field(name: string, definition: Field): TemplateField
}
