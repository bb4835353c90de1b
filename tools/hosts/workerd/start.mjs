// Bundles the app of the page as a Worker and serves it with workerd.
import { build } from 'esbuild'
import { basename, resolve } from 'node:path'
import { Miniflare } from 'miniflare'

const { outputFiles } = await build({
  entryPoints: ['app.mjs'],
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  alias: { util: 'node:util' },
  conditions: ['workerd', 'worker', 'browser'],
  external: ['node:*', 'cloudflare:*'],
  loader: { '.wasm': 'copy' },
  outdir: resolve('worker'),
  write: false,
})
const modules = outputFiles
  .toSorted((a, b) => Number(b.path.endsWith('.js')) - Number(a.path.endsWith('.js')))
  .map(({ path, contents }) => ({
    type: path.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule',
    path: basename(path),
    contents,
  }))
const worker = new Miniflare({
  modules,
  port: Number(process.env.PORT),
  compatibilityDate: '2026-01-01',
  compatibilityFlags: ['nodejs_compat'],
})
await worker.ready
