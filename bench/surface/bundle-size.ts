import { gzipSync } from 'node:zlib'
import { createRequire } from 'node:module'

interface Esbuild {
  readonly build: (
    options: object,
  ) => Promise<{ outputFiles: { contents: Uint8Array; text: string }[] }>
}

/** Bytes of the root entry, bundled, minified and compressed; fails when zod or Node is in it. */
export async function bundleSize(): Promise<number> {
  // esbuild comes with tsup and is no dependency of its own.
  const require = createRequire(createRequire(import.meta.url).resolve('tsup'))
  const { build } = require('esbuild') as Esbuild
  const { outputFiles } = await build({
    entryPoints: [
      new URL('../../packages/surface-protocol/src/index.ts', import.meta.url).pathname,
    ],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['@x/source'],
    external: ['node:*'],
  })
  const [output] = outputFiles
  if (output === undefined) throw new Error('Nothing was bundled')
  for (const foreign of [/["'`]node:/, /ZodError/]) {
    if (foreign.test(output.text)) throw new Error(`The root entry contains ${foreign}`)
  }
  return gzipSync(output.contents).length
}
