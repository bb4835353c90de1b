import { Kysely, type Dialect, type KyselyConfig } from 'kysely'

/** A Kysely that gives its connections back even when nothing was asked of it. */
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

  /** Waits for the running transaction, then closes. Safe to call twice. */
  override async destroy(): Promise<void> {
    await super.destroy()
    await this.#engine.close()
  }
}
