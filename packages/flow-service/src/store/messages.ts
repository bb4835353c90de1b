/** A stored chat message. */
export interface StoredMessage {
  readonly id: string
  /** The owner of the flow; null for messages of public builds, which are never listed. */
  readonly userId: string | null
  readonly flowId: string | null
  readonly timestamp: Date
  readonly sender: string | null
  readonly senderName: string | null
  readonly sessionId: string
  readonly contextId: string | null
  readonly text: string
  readonly files: readonly string[]
  readonly error: boolean
  readonly edit: boolean
  readonly category: string
  readonly properties: object
  readonly contentBlocks: readonly object[]
  /** Milliseconds. */
  readonly duration: number | null
}

/** Fields to change; absent means unchanged. */
export type MessagePatch = Partial<Omit<StoredMessage, 'id' | 'userId' | 'flowId'>>

/** Columns that messages can be ordered by. */
export type MessageOrder =
  | 'timestamp'
  | 'sender'
  | 'senderName'
  | 'sessionId'
  | 'contextId'
  | 'text'
  | 'error'
  | 'edit'
  | 'category'
  | 'id'
  | 'flowId'

/** Selects messages; all conditions apply and strings are compared exactly. */
export interface StoredMessageQuery {
  /** Only messages of this user that have a flow; null: messages without a user. */
  readonly userId?: string | null
  readonly flowId?: string
  readonly sessionId?: string
  readonly contextId?: string
  readonly sender?: string
  readonly senderName?: string
  /** False excludes error messages. Default true. */
  readonly errors?: boolean
  /** Default: insertion order, which also breaks ties. Strings are compared by code point, null first. */
  readonly orderBy?: MessageOrder
  readonly descending?: boolean
  /** Maximum number of rows, from the start of the order. */
  readonly limit?: number
}

/** Selects messages of a user that have a flow, for reading in parts; oldest first. */
export interface MessagePartsQuery extends Pick<
  StoredMessageQuery,
  'flowId' | 'sessionId' | 'sender' | 'senderName'
> {
  readonly userId: string
  /** Default: insertion order, which also breaks ties. */
  readonly orderBy?: 'timestamp'
}

/** Messages. */
export interface MessageStore {
  get(id: string): Promise<StoredMessage | null>
  list(query: StoredMessageQuery): Promise<StoredMessage[]>
  /**
   * The rows of `list` in parts of a bounded size, each read on demand, so that a long list is
   * neither read in one step nor held whole. Without this method, `list` is used.
   */
  parts?(query: MessagePartsQuery): AsyncIterable<readonly StoredMessage[]>
  /** Distinct sessions of a user's messages that have a flow, ordered by first message. */
  sessions(userId: string, flowId?: string): Promise<string[]>
  /**
   * The same in parts of a bounded size, each read on demand. Without this method, `sessions` is
   * used.
   */
  sessionParts?(userId: string, flowId?: string): AsyncIterable<readonly string[]>
  /** @throws UniqueConflictError `message.id` */
  insert(record: StoredMessage): Promise<void>
  /** The changed record; null if it does not exist. */
  update(id: string, patch: MessagePatch): Promise<StoredMessage | null>
  /** Returns the user's renamed messages, in insertion order. */
  renameSession(userId: string, from: string, to: string): Promise<StoredMessage[]>
  /**
   * The same for sessions of any length: renames the messages in steps, so that other requests get their
   * turns, then reads them in parts, each when it is asked for. A failure may leave the later messages of a
   * long session with the old name; renaming again changes the rest. Without this method, `renameSession` is
   * used.
   */
  renameSessionParts?(
    userId: string,
    from: string,
    to: string,
  ): Promise<AsyncIterable<readonly StoredMessage[]>>
  /** Only messages of one user if `userId` is given (null: without a user); unknown ids are ignored. */
  remove(ids: readonly string[], userId?: string | null): Promise<void>
  removeSession(userId: string, sessionId: string): Promise<void>
  /** Removes messages without a user (public builds) older than `before`. */
  trimPublic(before: Date): Promise<void>
}
