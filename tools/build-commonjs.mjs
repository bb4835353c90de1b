// Makes of the ES modules that tsup has written the CommonJS build below `dist/cjs`, and gives both builds the
// check of the Node version. Run in the folder of a package, after tsup.
import { readFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { build, transform } from 'esbuild'

/** Libraries that exist as ES modules only, with what they bring: they become part of the CommonJS build. */
const ES_ONLY = /^(jose|oauth4webapi|@noble\/hashes|htmlparser2|gemoji)(\/|$)/
const RELATIVE_MODULE = /((?:from|import|import\() ?['"]\.{1,2}\/[^'"]*)\.js(['"])/g
/** Types of these libraries, which CommonJS declarations may name only as what an ES module would import. */
const ES_TYPES =
  /import (?:type )?(\{[^}]*\}) from '((?:jose|oauth4webapi|@noble\/hashes|htmlparser2|gemoji)(?:\/[^']*)?)';/g
const CHECK = 'node-version'

const folder = process.cwd()
const dist = join(folder, 'dist')
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const modules = [...builtFiles({ ...manifest.exports, ...manifest.imports })]
const entries = [...builtFiles(manifest.exports)]

const { outputFiles, metafile } = await build({
  entryPoints: modules.map((file) => join(folder, file)),
  outbase: dist,
  outdir: join(dist, 'cjs'),
  outExtension: { '.js': '.cjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  metafile: true,
  write: false,
  logLevel: 'error',
  plugins: [{ name: 'externals', setup: keepExternal }],
})
for (const { path, text } of outputFiles) write(path, await toCommonJs(text))
for (const file of readdirSync(dist, { recursive: true }))
  if (file.endsWith('.d.ts') && !file.startsWith(`cjs${sep}`)) {
    const text = readFileSync(join(dist, file), 'utf8')
      .replace(RELATIVE_MODULE, '$1.cjs$2')
      .replaceAll(ES_TYPES, "import type $1 from '$2' with { 'resolution-mode': 'import' };")
    write(join(dist, 'cjs', file.replace(/\.d\.ts$/, '.d.cts')), text)
  }
const licences = bundledLicences()
if (licences !== '') write(join(dist, 'cjs/LICENSES.txt'), licences)
checkVersionFirst()

/** The files that entries of the manifest name as their ES modules. */
function builtFiles(conditions) {
  const found = new Set()
  JSON.stringify(conditions, (_key, value) => {
    if (/^\.\/dist\/(?!cjs\/).*\.js$/.test(value)) found.add(value)
    return value
  })
  return found
}

function keepExternal({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) =>
    kind === 'entry-point' || ES_ONLY.test(path) || importer.includes('node_modules')
      ? undefined
      : { path, external: true },
  )
}

/** Names and structure stay: only `import` and `export` become `require` and `module.exports`. */
async function toCommonJs(text) {
  const url = 'moduleUrl'
  const { code } = await transform(text, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': url },
    logLevel: 'error',
  })
  if (!text.includes('import.meta.url')) return code
  return `const ${url} = require('node:url').pathToFileURL(__filename).href\n${code}`
}

function bundledLicences() {
  /** @type {Set<string>} */
  const folders = new Set()
  for (const input of Object.keys(metafile.inputs)) {
    const [path] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.split(sep).join('/')) ?? []
    if (path !== undefined) folders.add(resolve(folder, path))
  }
  return [...folders]
    .toSorted()
    .map((library) => {
      const { name, version } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'))
      const file = readdirSync(library).find((one) => /^licen[cs]e/i.test(one))
      if (file === undefined) throw new Error(`${name} has no file with its licence`)
      return `${name} ${version}\n\n${readFileSync(join(library, file), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

/** An entry loads the check before everything else; bundlers, which mind `sideEffects`, leave it out. */
function checkVersionFirst() {
  const check = versionCheck(manifest.name)
  write(join(dist, `${CHECK}.js`), `${check}export {}\n`)
  write(join(dist, 'cjs', `${CHECK}.cjs`), check)
  for (const entry of entries) {
    const file = join(folder, entry)
    const from = relative(dirname(file), join(dist, CHECK)).split(sep).join('/')
    const path = from.startsWith('.') ? from : `./${from}`
    prepend(file, `import '${path}.js'\n`)
    prepend(
      join(dist, 'cjs', relative(dist, file)).replace(/\.js$/, '.cjs'),
      `require('${path}.cjs')\n`,
    )
  }
}

/** In the language of old versions. Other runtimes say which Node they resemble, which tells nothing. */
function versionCheck(name) {
  return `var versions = typeof process === 'object' && process !== null && process.versions
if (versions && versions.node && !versions.bun && !versions.deno) {
  var parts = versions.node.split('.')
  var major = Number(parts[0])
  var minor = Number(parts[1])
  if (major < 20 || (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12))
    throw new Error(
      '${name} needs Node 20.19 or newer (or 22.12 or newer); this is Node ' + versions.node + '.',
    )
}
`
}

function prepend(file, text) {
  write(file, text + readFileSync(file, 'utf8'))
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
