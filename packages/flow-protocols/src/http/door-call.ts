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
  /** The call within a chat, where the id of a chat is its key. @throws DoorError `chat_id_too_short` */
  readonly enter?: (chatId: string) => DoorCall | Promise<DoorCall>
  /** The body. @throws BodyTooLargeError */
  readonly bytes: (limit: number) => Promise<Uint8Array>
}

/** The call within a chat. @throws DoorError `chat_id_too_short` */
export async function enterChat(call: DoorCall, chatId: string): Promise<DoorCall> {
  return (await call.enter?.(chatId)) ?? call
}
