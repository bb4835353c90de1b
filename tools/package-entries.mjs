// The entries of published packages in the one form that every loader takes: Node loads the ES module for `import`
// and `require` alike, older loaders the CommonJS build. `node tools/package-entries.mjs` writes the manifests anew
// from the sources that they name; the check of boundaries compares.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './sources.mjs'

const SOURCE = '@x/source'

/** The manifest with the conditions of all entries, and what resolvers before `exports` read. */
export function withEntries(manifest) {
  const { exports, imports, ...rest } = manifest
  const entries = mapSources(exports)
  const next = {}
  for (const [key, value] of Object.entries(rest)) {
    if (key === 'main' || key === 'types' || key === 'typesVersions') continue
    next[key] = value
    if (key !== 'files') continue
    if (exports['.'] !== undefined) {
      next.main = './dist/cjs/index.cjs'
      next.types = './dist/index.d.ts'
    }
    const below = Object.entries(exports).filter(
      ([name]) => name !== '.' && name !== './package.json',
    )
    if (below.length > 0)
      next.typesVersions = {
        '*': Object.fromEntries(
          below.map(([name, entry]) => [name.slice(2), [builtFrom(entry[SOURCE]).types]]),
        ),
      }
    if (imports !== undefined) next.imports = mapImports(imports)
    next.exports = entries
  }
  return next
}

function mapSources(exports) {
  return Object.fromEntries(
    Object.entries(exports).map(([name, entry]) => [
      name,
      typeof entry === 'string'
        ? entry
        : { [SOURCE]: entry[SOURCE], ...conditions(builtFrom(entry[SOURCE])) },
    ]),
  )
}

/** Imports of a package within itself differ by runtime: each of the runtimes has both builds. */
function mapImports(imports) {
  return Object.fromEntries(
    Object.entries(imports).map(([name, { node, default: other, ...source }]) => {
      const built = (entry) => entry.default.default ?? entry.default
      const both = (entry) => conditions(builtFrom(built(entry).replace('./dist/', './src/')))
      return [name, { ...source, node: both(node), default: both(other) }]
    }),
  )
}

function conditions({ types, module, commonjs, commonTypes }) {
  return {
    'module-sync': { types, default: module },
    require: { types: commonTypes, default: commonjs },
    default: { types, default: module },
  }
}

function builtFrom(source) {
  const name = source.replace(/^\.\/src\//, '').replace(/\.(ts|js)$/, '')
  return {
    types: `./dist/${name}.d.ts`,
    module: `./dist/${name}.js`,
    commonjs: `./dist/cjs/${name}.cjs`,
    commonTypes: `./dist/cjs/${name}.d.cts`,
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const name of readdirSync(join(root, 'packages'))) {
    const path = join(root, 'packages', name, 'package.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, `${JSON.stringify(withEntries(manifest), null, 2)}\n`)
  }
