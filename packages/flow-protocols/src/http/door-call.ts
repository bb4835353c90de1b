import type { DoorFlow } from '../turns/turn-host.ts'

/** One caller's use of one flow. */
export interface DoorCall {
  readonly request: Request
  readonly userId: string
  readonly flow: DoorFlow
  /** Variables of the run, from headers. */
  readonly variables: Readonly<Record<string, string>>
  /** Identifies the request to its run. */
  readonly origin?: Readonly<Record<string, unknown>>
  /** The body. @throws BodyTooLargeError */
  readonly bytes: (limit: number) => Promise<Uint8Array>
}
