/** A piece of an answer that may show surfaces. */
export type DoorSurfacePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly surfaceId: string; readonly message: object }
  | { readonly kind: 'error'; readonly error: Error }

/** Tells the surfaces of answers from their text: `createSurfaceParts()` of `@x/surface-protocol/llm`. */
export interface DoorSurfaces {
  /** A reader of one text, which may come in pieces cut anywhere. */
  reader(): {
    push(text: string): readonly DoorSurfacePiece[]
    end(): readonly DoorSurfacePiece[]
  }
  /** The messages of an object with `a2ui_operations`, or of its JSON text; null for anything else. */
  operations(value: unknown): readonly DoorSurfacePiece[] | null
  /** The answer that an action on the surface of a question gives; null for another action. */
  answerOf(action: unknown): { readonly requestId: string; readonly answer: unknown } | null
  /** The entry of an A2A card. */
  readonly extension: {
    readonly uri: string
    readonly required: boolean
    readonly params: Readonly<Record<string, unknown>>
  }
  /** The address of the extension that a value of `A2A-Extensions` asks for; null if it does not. */
  negotiate(requested: string | null): string | null
  /** A2A data parts for messages. */
  dataParts(
    messages: readonly object[],
  ): readonly { readonly data: unknown; readonly mediaType: string }[]
}

/** Adds messages to those of their surface; one that begins or ends the surface makes older ones void. */
export function addToSurface(list: object[], messages: readonly object[]): void {
  for (const message of messages) {
    if ('createSurface' in message || 'deleteSurface' in message) list.length = 0
    list.push(message)
  }
}
