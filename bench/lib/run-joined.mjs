import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'

/**
 * `node bench/lib/run-joined.mjs NAME`: joins `bench/NAME/main.ts` and the sources of the packages
 * into one file and runs it, so that what is measured is fresh and no loader stands in the process.
 */
const [name = ''] = process.argv.slice(2)
const bench = dirname(dirname(fileURLToPath(import.meta.url)))
const joined = join(bench, 'dist', `${basename(name)}.js`)
await joinSources(join(bench, name, 'main.ts'), joined, { installedOutside: true })
await import(pathToFileURL(joined).href)
