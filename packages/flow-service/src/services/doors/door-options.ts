import type { SigningKey } from '@x/flow-protocols/internal'
import type { DoorSurfaces } from '@x/flow-protocols/ai-sdk'

/** Options of the AI SDK and AG-UI interfaces. */
export interface DoorOptions {
  /** Milliseconds after which a turn that nobody reads is cancelled; null: never. Default 30,000. */
  readonly unreadMs?: number | null
  /** `request`: memory sees the messages of the request. Default `stored`. */
  readonly history?: 'stored' | 'request'
  /** Sends what models think before they answer. Default true. */
  readonly reasoning?: boolean
  /** Shows the surfaces in answers: `createSurfaceParts()` of `@x/surface-protocol/llm`. Default: they are text. */
  readonly surfaces?: DoorSurfaces
  /** Public flows, addressed by their ids, answer visitors without credentials. Default false. */
  readonly public?: boolean
  /** Seconds that an address of a file is good for. Default 3,600. */
  readonly fileUrlSeconds?: number
}

/** Applies the defaults. */
export function resolveDoorOptions(given: false | DoorOptions | undefined) {
  const {
    unreadMs = 30_000,
    history = 'stored',
    reasoning = true,
    fileUrlSeconds = 3600,
    surfaces,
    public: isPublic = false,
  } = given === false ? {} : (given ?? {})
  return { unreadMs, history, reasoning, fileUrlSeconds, surfaces, public: isPublic }
}

/** Options of the A2A interface. */
export interface A2aDoorOptions {
  /** Id or endpoint name of the flow whose card is at `/.well-known/agent-card.json`. Default: none. */
  readonly rootFlow?: string
  /** Private JWK with `kid` and `alg` that signs the cards of version 1.0. Default: they are not signed. */
  readonly signingKey?: SigningKey
  /** Shows the surfaces in answers: `createSurfaceParts()` of `@x/surface-protocol/llm`. Default: they are text. */
  readonly surfaces?: DoorSurfaces
}
