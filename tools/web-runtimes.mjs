// Bundles installed packages for browsers and Workers, and runs a Worker that provisions a user, runs a
// flow and renders a surface, in workerd.
import { basename, join } from 'node:path'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const WORKER = `
  import { createRegistry, runFlow } from '@x/flow-engine'
  import { basicComponents } from '@x/flow-engine/components'
  import { createScimHandler } from '@x/scim-core'
  import { createMemoryScimStore } from '@x/scim-core/memory'
  import { createSurfaceBuilder, createSurfaceStore, ui } from '@x/surface-protocol'

  const scim = createScimHandler({
    store: createMemoryScimStore(),
    baseUrl: 'https://app.example/scim/v2',
    auth: { kind: 'token', token: 'secret-of-the-test' },
  })

  export default {
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname.startsWith('/scim/')) return scim(request)
      if (pathname === '/flow') {
        const flow = await request.json()
        const run = runFlow(flow, { components: createRegistry(basicComponents), input: 'hello' })
        return new Response((await run.result).text())
      }
      const store = createSurfaceStore()
      store.applyAll(createSurfaceBuilder('s').root(ui.Text({ text: 'Hello' })).toMessages())
      return Response.json(store.tree('s'))
    },
  }
`

/** Throws where an entry cannot be bundled for browsers, or asks for a module of Node. */
export async function bundleForBrowsers(folder, entries) {
  for (const entry of entries) {
    await build({
      stdin: { contents: `export * from '${entry}'`, resolveDir: folder },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'browser',
      outdir: 'out',
      write: false,
      logLevel: 'error',
    })
  }
}

/** Runs the Worker in the workerd that \`folder\` has installed with miniflare. */
export async function runInWorker(folder) {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    loader: { '.wasm': 'copy' },
    outdir: join(folder, 'worker'),
    write: false,
    logLevel: 'error',
  })
  const modules = outputFiles
    .toSorted((a, b) => Number(b.path.endsWith('.js')) - Number(a.path.endsWith('.js')))
    .map(({ path, contents }) => ({
      type: path.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule',
      path: basename(path),
      contents,
    }))
  const load = (name) =>
    import(pathToFileURL(createRequire(join(folder, 'index.js')).resolve(name)))
  const { Miniflare } = await load('miniflare')
  const { flowBuilder } = await load('@x/flow-engine/testing')
  const flow = flowBuilder()
  flow.connect(`${flow.add('ChatInput')}.message`, `${flow.add('ChatOutput')}.input_value`)
  const worker = new Miniflare({ modules, compatibilityDate: '2026-01-01' })
  try {
    const ask = (path, init) => worker.dispatchFetch(`https://app.example${path}`, init)
    const user = await ask('/scim/v2/Users', {
      method: 'POST',
      headers: {
        authorization: 'Bearer secret-of-the-test',
        'content-type': 'application/scim+json',
      },
      body: JSON.stringify({
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
        userName: 'ada@example.com',
      }),
    })
    expect('SCIM', user.status, 201)
    const ran = await ask('/flow', { method: 'POST', body: JSON.stringify(flow.toJSON()) })
    expect('the flow', await ran.text(), 'hello')
    const surface = await ask('/surface')
    expect('the surface', (await surface.json()).properties.text, 'Hello')
  } finally {
    await worker.dispose()
  }
}

function expect(subject, actual, expected) {
  if (actual !== expected)
    throw new Error(`In a Worker ${subject} answers ${actual}, not ${expected}.`)
}
