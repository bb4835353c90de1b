import type { DoorSurfaces } from '../parts/door-surfaces.ts'
import type { ChatKey } from '../turns/turn.ts'
import type { TurnHost } from '../turns/turn-host.ts'
import type { Turns } from '../turns/turns.ts'
import type { DoorCall } from './door-call.ts'
import type { SentFile } from './sent-file.ts'

/** What every door is made of. */
export interface DoorParts {
  readonly host: TurnHost
  readonly turns: Turns
  /** `request`: memory sees the messages of the request; `stored`: those of the session. */
  readonly history: 'stored' | 'request'
  readonly reasoning: boolean
  /** Tells surfaces from text. */
  readonly surfaces?: DoorSurfaces | undefined
  /** Bytes of a request. */
  readonly maxBodyBytes: number
  /** Stores files of a message and returns their paths. */
  storeFiles(call: DoorCall, key: ChatKey, files: readonly SentFile[]): Promise<readonly string[]>
  /** Where the page of this user reads a file of the flow. */
  fileUrl(call: DoorCall, path: string): Promise<string>
}
