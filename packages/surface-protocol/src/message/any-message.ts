import type { ClientMessage } from './v08/client-message.ts'
import type { ServerMessage } from './v08/messages.ts'
import type { ClientMessageV09, ServerMessageV09 } from './v09/messages-v09.ts'
import type { ClientMessageV1, ServerMessageV1 } from './v1/messages-v1.ts'

/** A message from the server to the client, of any version. */
export type AnyServerMessage = ServerMessage | ServerMessageV09 | ServerMessageV1

/** A message from the client to the server, of any version. */
export type AnyClientMessage = ClientMessage | ClientMessageV09 | ClientMessageV1
