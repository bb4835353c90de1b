import type { SuspendedJson } from '@x/flow-engine'

/** A source that an answer names (a web page, or a document). */
export type TurnSource =
  | { readonly type: 'url'; readonly url: string; readonly title?: string }
  | {
      readonly type: 'document'
      readonly title: string
      readonly mediaType: string
      readonly filename?: string
    }

/** A piece of a turn: what the protocols of front ends and agents are written from. */
export type TurnPart =
  /** The first piece of a text. `id`: of the message; of a text that goes on after a surface, one of its own. */
  | { readonly kind: 'text-start'; readonly id: string; readonly messageId: string }
  | { readonly kind: 'text'; readonly id: string; readonly text: string }
  | { readonly kind: 'text-end'; readonly id: string }
  /** What a model thought before the text of that message; an agent may think several times, each with its own id. */
  | { readonly kind: 'reasoning-start'; readonly id: string; readonly messageId: string }
  | { readonly kind: 'reasoning'; readonly id: string; readonly text: string }
  | { readonly kind: 'reasoning-end'; readonly id: string }
  /** A tool call; announced again with another input if a person has edited it. */
  | {
      readonly kind: 'call'
      readonly id: string
      readonly name: string
      readonly input: unknown
    }
  | { readonly kind: 'result'; readonly id: string; readonly output: unknown }
  | { readonly kind: 'call-error'; readonly id: string; readonly error: string }
  /** A person refused the call. */
  | { readonly kind: 'denied'; readonly id: string; readonly reason: string }
  /** The turn waits for a person. `callId`: the call to approve. */
  | { readonly kind: 'question'; readonly question: SuspendedJson; readonly callId?: string }
  /** The question was answered. */
  | { readonly kind: 'answer'; readonly requestId: string; readonly decision: unknown }
  /** Nobody answered in time. `after`: how long that was, in words. */
  | { readonly kind: 'expired'; readonly requestId: string; readonly after: string }
  /** Sent again under the same id when it changes. */
  | {
      readonly kind: 'block'
      readonly id: string
      readonly block: Readonly<Record<string, unknown>>
    }
  /** `path`: as the flow knows it, or an http address. `messageId`: of the message that shows it. */
  | { readonly kind: 'file'; readonly path: string; readonly messageId: string }
  /** Messages of an A2UI surface, to be added to those that it has. `id`: of the surface. */
  | {
      readonly kind: 'surface'
      readonly id: string
      readonly messageId: string
      readonly messages: readonly object[]
    }
  | { readonly kind: 'source'; readonly id: string; readonly source: TurnSource }
  /** These texts, reasonings, blocks, files, sources (by message) and calls no longer stand. */
  | {
      readonly kind: 'withdrawn'
      readonly messageId: string
      readonly calls: readonly string[]
      /** Another text of the same message follows: what its model thought stands. */
      readonly keepsReasoning?: true
    }
  | { readonly kind: 'step'; readonly vertexId: string; readonly state: 'started' | 'finished' }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'end'; readonly cancelled: boolean }
