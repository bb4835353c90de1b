/** The functions of a test runner that a contract needs; vitest and `node:test` both have them. */
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
  /** An empty store, made anew for each test. */
  readonly create: () => S | Promise<S>
  /** Gives back what `create` took. */
  readonly destroy?: (store: S) => Promise<void> | void
}
