/** Lists of texts in Redis, in which a component keeps messages; without it, that component reports an error. */
export interface RedisLists {
  /** Rejects if there is no such server or if it may not be reached. */
  connect(place: RedisPlace, options: { signal: AbortSignal }): Promise<RedisConnection>
}

export interface RedisPlace {
  readonly host: string
  readonly port: number
  /** Number of the database. */
  readonly database: number
  readonly username?: string
  readonly password?: string
}

export interface RedisConnection {
  /** The first `count` texts of a list; none if there is no such list. */
  range(key: string, count: number): Promise<string[]>
  /** Puts a text before the others of a list. */
  push(key: string, text: string): Promise<void>
  close(): Promise<void>
}
