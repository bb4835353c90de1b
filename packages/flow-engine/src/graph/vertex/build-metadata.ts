import type { InputSource } from '../../components/define/context.ts'
import type { Component } from '../../components/define/component.ts'
import type { SuspendedError } from '../../errors.ts'
import type { VertexInfo } from '../context/run-hooks.ts'

/** The vertex of a build, as exposed by its context. */
export interface VertexMetadata {
  readonly id: string
  readonly displayName: string
  readonly component: Component
  /** The fields of its node. */
  readonly template?: Readonly<Record<string, unknown>>
  readonly connected: ReadonlySet<string>
  readonly chatOutput: { readonly senderName?: string } | undefined
  /** The outputs that lead to it. */
  readonly chatOutputs: ReadonlySet<string>
  /** True without incoming edges. */
  readonly isRoot: boolean
  readonly role: 'input' | 'output' | undefined
}

export interface BuildMetadata {
  readonly vertex: VertexMetadata
  readonly build: number
  /** Default 1. */
  readonly attempt?: number
  /** Collects the ids of messages it sends, if they may have to be withdrawn. */
  readonly sent?: Set<string> | undefined
  state(): Map<string, unknown>
  /** Default: the run's. */
  readonly signal: AbortSignal | undefined
  /** Its signal was aborted before the run's: further calls of the component are ignored. */
  readonly over: boolean
  /** Called by an agent: its messages are not shown. */
  readonly asTool: boolean
  /** Name of the agent's call, if it is a step. */
  readonly scope?: string | undefined
  /** Set by the context: the last message the component sent in state `partial`. */
  partial?: string | undefined
  /** Called when the component waits for an answer or a timer: further calls are ignored. */
  rest(reason: SuspendedError): Promise<void>
  sources(field: string): readonly InputSource[]
  inputType(field: string): string | undefined
  handleTypes(field: string): readonly string[]
  /** Set if there are hooks. */
  readonly info?: VertexInfo | undefined
  /** Request variables. */
  readonly variables: Readonly<Record<string, string>> | undefined
  /** See the context. */
  expectPasses(items: number): number
}
