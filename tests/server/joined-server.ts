import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { joinSources } from '../../tools/join-sources.mjs'

const MAIN = fileURLToPath(new URL('../../examples/reference-server/src/main.ts', import.meta.url))
const JOINED = fileURLToPath(
  new URL('../../examples/reference-server/dist/main.js', import.meta.url),
)

/** Joins the sources of the server once for all tests, as `npm start` does after a change. */
export async function setup(project: TestProject): Promise<void> {
  const join = (): Promise<void> => joinSources(MAIN, JOINED)
  await join()
  project.onTestsRerun(join)
  project.provide('joinedServer', JOINED)
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of the server in one file. */
    joinedServer: string
  }
}
