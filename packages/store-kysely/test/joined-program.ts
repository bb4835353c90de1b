import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { joinSources } from '../../../tools/join-sources.mjs'

/**
 * A program of these tests in one file, which a process of its own loads in a fraction of the time
 * that its sources take one by one.
 * @param name a file beside this one
 */
export async function joinedProgram(name: string): Promise<string> {
  const source = fileURLToPath(new URL(name, import.meta.url))
  const folder = new URL('../../../node_modules/.joined/', import.meta.url)
  const joined = fileURLToPath(new URL(`${basename(name, '.ts')}.mjs`, folder))
  await joinSources(source, joined)
  return joined
}
