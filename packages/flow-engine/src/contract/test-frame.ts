/** The test runner functions a contract needs; vitest and `node:test` both provide them. */
export interface TestFrame {
  describe(name: string, body: () => void): void
  it(name: string, body: () => Promise<void> | void): void
  beforeEach(body: () => Promise<void> | void): void
  afterEach(body: () => Promise<void> | void): void
}

/** Options of a contract. */
export interface ContractOptions<S> {
  /** Shown in the names of the tests. */
  readonly name: string
  /** Creates an empty store for each test. */
  readonly create: () => S | Promise<S>
  /** Disposes of a store created by `create`. */
  readonly destroy?: (store: S) => Promise<void> | void
}
