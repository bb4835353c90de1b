import { fileURLToPath } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'

/**
 * Joins a program of this folder and the sources of the packages into one file, so that what is
 * measured is fresh and no loader stands in the measured process. The file lies as deep as the
 * sources, so that their relative addresses stay true.
 */
export async function join(name: string): Promise<URL> {
  const joined = new URL(`../dist/scim-${name}.mjs`, import.meta.url)
  const source = fileURLToPath(new URL(`${name}.ts`, import.meta.url))
  await joinSources(source, fileURLToPath(joined), { installedOutside: true })
  return joined
}
