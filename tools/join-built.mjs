import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as esbuild from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const stage = join(root, 'examples/reference-server/dist/built')

/**
 * Joins a TypeScript program into one file beside packages that are built as they are published, but for
 * declarations. Its imports of packages reach those builds, as in an application.
 */
export async function joinBuilt(
  /** @type {string} */ entry,
  /** @type {readonly string[]} */ packages,
) {
  for (const name of packages) buildPackage(name)
  const outfile = join(stage, `${basename(entry, '.ts')}.mjs`)
  await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  })
  await esbuild.stop()
  return outfile
}

function buildPackage(/** @type {string} */ name) {
  const source = join(root, 'packages', name)
  const target = join(stage, 'node_modules/@x', name)
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js')
  const options = ['--no-dts', '--no-sourcemap', '--silent', '--out-dir', join(target, 'dist')]
  execFileSync(process.execPath, [tsup, ...options], { cwd: source, stdio: 'inherit' })
  cpSync(join(source, 'package.json'), join(target, 'package.json'))
}
