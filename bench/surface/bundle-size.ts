import { gzipSync } from 'node:zlib'
import { createRequire } from 'node:module'
import type { Row } from './main-v09.ts'

interface Output {
  readonly entryPoint?: string
  readonly imports: readonly { path: string; kind: string; external?: boolean }[]
}
interface Esbuild {
  readonly build: (options: object) => Promise<{
    outputFiles: { path: string; text: string }[]
    metafile: { outputs: Record<string, Output> }
  }>
}

/** The goals of size: kB of entries, bundled, minified and compressed. */
export async function sizes(): Promise<Row[]> {
  const kB = async (entry: string, base?: string): Promise<number> =>
    (await sizeOf(entry, base)) / 1000
  return [
    { name: 'gzip of the bundled root', bar: 55, value: await kB('index'), unit: 'kB' },
    { name: 'gzip of /v1 besides the root', bar: 18, value: await kB('v1', 'index'), unit: 'kB' },
    { name: 'gzip of /functions', bar: 8, value: await kB('functions'), unit: 'kB' },
  ]
}

/**
 * Bytes of an entry, without what it shares with `base`, which an app loads anyway. Fails when zod or
 * Node is in it.
 */
async function sizeOf(entry: string, base?: string): Promise<number> {
  // esbuild comes with tsup and is no dependency of its own.
  const require = createRequire(createRequire(import.meta.url).resolve('tsup'))
  const { build } = require('esbuild') as Esbuild
  const folder = new URL('../../packages/surface-protocol/src/', import.meta.url).pathname
  const { outputFiles, metafile } = await build({
    entryPoints: [entry, ...(base === undefined ? [] : [base])].map(
      (name) => `${folder}${name}.ts`,
    ),
    outdir: '/out',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['@x/source'],
    external: ['node:*'],
  })
  const { outputs } = metafile
  const known = base === undefined ? new Set<string>() : loadedWith(base, outputs)
  const own = [...loadedWith(entry, outputs)].filter((path) => !known.has(path))
  const names = new Set(own.map(fileName))
  const text = outputFiles
    .filter(({ path }) => names.has(fileName(path)))
    .map((file) => file.text)
    .join('\n')
  for (const foreign of [/["'`]node:/, /ZodError/]) {
    if (foreign.test(text)) throw new Error(`The entry ${entry} contains ${foreign}`)
  }
  return gzipSync(text).length
}

/** The files that an entry loads at once. */
function loadedWith(entry: string, outputs: Record<string, Output>): Set<string> {
  const [first] = Object.keys(outputs).filter(
    (path) => outputs[path]?.entryPoint?.endsWith(`/${entry}.ts`) === true,
  )
  if (first === undefined) throw new Error(`Nothing was bundled of ${entry}`)
  const loaded = new Set([first])
  for (const path of loaded) {
    for (const next of outputs[path]?.imports ?? []) {
      if (next.kind === 'import-statement' && next.external !== true) loaded.add(next.path)
    }
  }
  return loaded
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
