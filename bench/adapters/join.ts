import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

interface Esbuild {
  readonly build: (options: object) => Promise<unknown>
}

/**
 * Joins the measured program into one file. The packages stay outside: they resolve to their own
 * builds, as in an application, and no loader stands in the measured process.
 */
export async function join(): Promise<URL> {
  // esbuild comes with tsup and is no dependency of its own.
  const require = createRequire(createRequire(import.meta.url).resolve('tsup'))
  const { build } = require('esbuild') as Esbuild
  const joined = new URL('../dist/adapters-server.mjs', import.meta.url)
  await build({
    entryPoints: [fileURLToPath(new URL('server.ts', import.meta.url))],
    outfile: fileURLToPath(joined),
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
  return joined
}
