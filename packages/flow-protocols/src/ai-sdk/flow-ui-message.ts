import type { QuestionOption } from '@x/flow-engine'

/** Metadata of an assistant message. */
export interface FlowMetadata {
  readonly turnId: string
  readonly chatId: string
  readonly flowId: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly usage?: {
    readonly inputTokens: number
    readonly outputTokens: number
    readonly totalTokens: number
  }
  /** Milliseconds. */
  readonly durationMs?: number
}

/** Data parts of an assistant message, by name. */
export type FlowDataParts = {
  /** A content block of the flow. */
  block: Readonly<Record<string, unknown>>
  /** The messages of an A2UI surface so far. */
  a2ui: { readonly messages: readonly unknown[] }
}

/** The input of the tool `ask_person`: a question of the flow. */
export interface AskPersonInput {
  readonly prompt: string | null
  readonly kind: string
  readonly options: readonly QuestionOptionJson[]
  /** JSON Schema of the answer; null: any. */
  readonly schema: object | null
  readonly question: unknown
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null
}

type QuestionOptionJson = { readonly action_id: QuestionOption['actionId']; readonly label: string }

/** The tools that a page answers. */
export type FlowTools = {
  ask_person: { input: AskPersonInput; output: unknown }
}

/** A part of a message, as the AI SDK has it. */
export interface FlowMessagePart {
  readonly type: string
  readonly [member: string]: unknown
}

/** A message of a chat: assignable to the AI SDK's `UIMessage<FlowMetadata, FlowDataParts, FlowTools>`. */
export interface StoredUIMessage {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly metadata?: FlowMetadata
  readonly parts: readonly FlowMessagePart[]
}
