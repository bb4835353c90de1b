// Writes one Markdown page for each subpath export of the packages into docs/api, from the types and
// docstrings of the sources. The pages are made by `npm run docs` and never committed.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Application, Converter } from 'typedoc'
import { root } from './sources.mjs'

const entryPoints = []
const names = new Map()
for (const folder of readdirSync(join(root, 'packages')).toSorted()) {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
  for (const [key, entry] of Object.entries(manifest.exports)) {
    // What siblings share is for nobody else.
    if (key === './package.json' || key.startsWith('./internal')) continue
    const source = join('packages', folder, entry['@x/source'])
    entryPoints.push(join(root, source))
    names.set(source.slice('packages/'.length, -'.ts'.length), manifest.name + key.slice(1))
  }
}

const out = join(root, 'docs', 'api')
rmSync(out, { recursive: true, force: true })

const app = await Application.bootstrapWithPlugins(
  {
    entryPoints,
    tsconfig: join(root, 'tsconfig.json'),
    plugin: ['typedoc-plugin-markdown'],
    skipErrorChecking: true,
    excludeInternal: true,
    excludePrivate: true,
    excludeExternals: true,
    disableSources: true,
    disableGit: true,
    readme: 'none',
    name: 'Exports',
    hideBreadcrumbs: true,
    hidePageHeader: true,
    outputFileStrategy: 'modules',
    flattenOutputFiles: true,
    entryFileName: 'index',
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    expandObjects: true,
    tableColumnSettings: { hideModifiers: true },
    useCodeBlocks: true,
    logLevel: 'Error',
  },
  [],
)
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) {
    module.name = names.get(module.name) ?? names.get(`${module.name}/index`) ?? module.name
  }
})
const project = await app.convert()
if (project === undefined) throw new Error('The exports could not be read.')
await app.outputs.writeOutput({ name: 'markdown', path: out }, project)
// The site shows Markdown alone: anchors that are written as HTML would be read as text.
for (const name of readdirSync(out)) {
  const page = join(out, name)
  writeFileSync(page, readFileSync(page, 'utf8').replaceAll(/<a id="[^"]*"><\/a> ?/g, ''))
}
console.log(`${names.size} entries written to docs/api`)
