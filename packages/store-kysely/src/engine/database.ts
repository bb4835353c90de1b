import { Kysely, type Dialect, type KyselyConfig } from 'kysely'

/** A Kysely instance that closes its connections even if it was never used. */
export class Database<Tables> extends Kysely<Tables> {
  readonly #engine: { close(): Promise<void> }

  constructor(
    dialect: Dialect,
    options: {
      readonly engine: { close(): Promise<void> }
      readonly log: KyselyConfig['log'] | undefined
    },
  ) {
    super({ dialect, ...(options.log === undefined ? {} : { log: options.log }) })
    this.#engine = options.engine
  }

  /** Waits for the running transaction, then closes. Idempotent. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.#engine.close()
  }
}
