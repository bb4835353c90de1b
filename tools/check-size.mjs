// Measures every published entry as a consumer's bundler would: bundled with the package's own code,
// minified and gzipped, against the budget of tools/size-budget.json. Dependencies and Node's modules stay
// outside. An entry must not match the patterns that the budget forbids it, so that those for every Web
// runtime import nothing of Node and each library stays behind its own entry. `besides` bounds what an entry loads more than another, minified. `--write` sets each budget to the present size plus 5 %.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { filesBelow, root } from './sources.mjs'

const BUDGET = join(root, 'tools/size-budget.json')

/** Entries of all packages: name, source, and the packages that stay outside. */
function entries() {
  return filesBelow('packages', (path) => /^packages\/[^/]+\/package\.json$/.test(path)).flatMap(
    (path) => {
      const manifest = JSON.parse(readFileSync(join(root, path), 'utf8'))
      const external = ['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap(
        (kind) => Object.keys(manifest[kind] ?? {}).flatMap((name) => [name, `${name}/*`]),
      )
      return Object.entries(manifest.exports)
        .filter(([, entry]) => typeof entry !== 'string')
        .map(([key, entry]) => ({
          name: manifest.name + key.slice(1),
          source: join(root, path, '..', entry['@x/source']),
          external,
        }))
    },
  )
}

/** The text of an entry with all of its own code, lazily loaded parts included. */
async function bundle({ source, external }) {
  const { outputFiles, metafile } = await build({
    metafile: true,
    entryPoints: [source],
    outdir: 'out',
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    target: 'es2023',
    conditions: ['@x/source'],
    loader: { '.svg': 'text' },
    external: [...external, 'node:*', '#*'],
    logLevel: 'silent',
  })
  return { files: outputFiles.map(({ text }) => text), loaded: loadedParts(metafile) }
}

/** Minified bytes of each source file that is loaded with an entry, lazy parts left out. */
function loadedParts({ outputs }) {
  const loaded = new Map()
  const load = (name) => {
    const { inputs, imports } = outputs[name]
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) loaded.set(file, bytesInOutput)
    for (const { path, kind, external } of imports)
      if (kind === 'import-statement' && external !== true) load(path)
  }
  load(Object.keys(outputs).find((name) => outputs[name].entryPoint !== undefined))
  return loaded
}

const problems = []
const { forbidden, besides, bytes } = JSON.parse(readFileSync(BUDGET, 'utf8'))
const sizes = {}
const parts = {}
for (const entry of entries()) {
  const { files, loaded } = await bundle(entry)
  parts[entry.name] = loaded
  const size = files.reduce((sum, text) => sum + gzipSync(text).length, 0)
  sizes[entry.name] = size
  const limit = bytes[entry.name]
  if (limit === undefined) problems.push(`${entry.name}: no budget in tools/size-budget.json`)
  else if (size > limit) problems.push(`${entry.name}: ${size} bytes, the budget is ${limit}`)
  for (const [pattern, names] of Object.entries(forbidden)) {
    if (names.includes(entry.name) && files.some((text) => new RegExp(pattern).test(text)))
      problems.push(`${entry.name} contains ${pattern}`)
  }
}
for (const [name, { base, limit }] of Object.entries(besides)) {
  const own = [...parts[name]].filter(([file]) => !parts[base].has(file))
  const sum = own.reduce((total, [, size]) => total + size, 0)
  if (sum > limit)
    problems.push(`${name} loads ${sum} bytes besides ${base}, the budget is ${limit}`)
}
for (const name of Object.keys(bytes))
  if (sizes[name] === undefined) problems.push(`tools/size-budget.json: no entry ${name}`)
if (process.argv.includes('--write')) {
  const next = Object.fromEntries(
    Object.entries(sizes).map(([name, size]) => [name, Math.ceil((size * 1.05) / 100) * 100]),
  )
  writeFileSync(BUDGET, `${JSON.stringify({ forbidden, besides, bytes: next }, null, 2)}\n`)
} else for (const problem of problems) console.error(problem)
for (const [name, size] of Object.entries(sizes)) console.log(`${String(size).padStart(8)} ${name}`)
process.exitCode = problems.length > 0 && !process.argv.includes('--write') ? 1 : 0
