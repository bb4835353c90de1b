import { build } from 'esbuild'
import { fileURLToPath } from 'node:url'

const bundles = new Map<string, Promise<string>>()

/** Bundles the script of a page from its TypeScript entry on first request, and caches it. */
export function bundleScript(entry: URL): Promise<string> {
  const path = fileURLToPath(entry)
  const script = bundles.get(path) ?? bundle(path)
  bundles.set(path, script)
  return script
}

async function bundle(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}
