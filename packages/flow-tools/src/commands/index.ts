import type { LazyCommands } from '../command/run-program.ts'

/** Every command, loaded when it is called. */
export const commands: LazyCommands = {
  types: async () => (await import('./types.ts')).types,
  check: async () => (await import('./check.ts')).check,
  eject: async () => (await import('./eject.ts')).eject,
  build: async () => (await import('./build.ts')).build,
  format: async () => (await import('./format.ts')).format,
  diff: async () => (await import('./diff.ts')).diff,
  merge: async () => (await import('./merge.ts')).merge,
  test: async () => (await import('./test.ts')).test,
  run: async () => (await import('./run.ts')).run,
  dev: async () => (await import('./dev.ts')).dev,
  record: async () => (await import('./record.ts')).record,
}
