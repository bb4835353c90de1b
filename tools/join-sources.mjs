import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const installed = join(root, 'node_modules/')

/**
 * Joins a TypeScript program and the sources of the workspace's packages into one JavaScript file:
 * a fraction of a second, where loading some 800 files one by one takes several.
 *
 * `output` must lie as deep as the sources that read files beside them, so that their relative
 * addresses stay true. It is renamed into its place: another process may be loading it.
 */
export async function joinSources(/** @type {string} */ entry, /** @type {string} */ output) {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: output,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@x/source'],
    plugins: [installedStaysOutside],
    logLevel: 'error',
  })
  await esbuild.stop()
  await mkdir(dirname(output), { recursive: true })
  const draft = join(dirname(output), `${process.pid}.${basename(output)}`)
  await writeFile(draft, outputFiles[0]?.contents ?? '')
  await rename(draft, output)
}

/** Imports from the root's node_modules stay; everything else is joined. */
/** @type {import('esbuild').Plugin} */
const installedStaysOutside = {
  name: 'installed-stays-outside',
  setup(build) {
    build.onResolve(
      { filter: /^[^./]/ },
      async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind === 'entry-point' || pluginData === installed) return undefined
        const found = await build.resolve(path, {
          kind,
          importer,
          resolveDir,
          pluginData: installed,
        })
        const outside = found.errors.length > 0 || found.path.startsWith(installed)
        return outside ? { path, external: true } : found
      },
    )
  },
}
