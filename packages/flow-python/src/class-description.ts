import type { NodeOutput, TemplateField } from '@x/flow-engine'

/** The description of a component class, as read by the interpreter. */
export interface ClassDescription {
  readonly type: string
  readonly facts: Readonly<Record<string, unknown>>
  readonly fieldOrder: readonly string[] | undefined
  readonly inputs: readonly TemplateField[]
  readonly outputs: readonly NodeOutput[]
  /** The class updates its own template or outputs when a field changes. */
  readonly refreshes: boolean
}
