// Holds the direction of imports, by the map of tools/packages.json: which package may know which, which
// libraries it declares and uses, where `node:` may appear, that nothing reaches into another package's
// inside, that no files import each other in a circle, types included, that the folders of a package keep
// the order of their floors, and that entries are what is built and exported, each name once.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { circlesOf } from './circles.mjs'
import { namesOf } from './exported-names.mjs'
import { withEntries } from './package-entries.mjs'
import { filesBelow, importsOf, isTest, readSource, resolveImport, root } from './sources.mjs'

const { packages, family } = JSON.parse(readSource('tools/packages.json'))
const problems = []
const graph = new Map()

for (const [folder, rules] of Object.entries(packages)) {
  const manifest = JSON.parse(readSource(`${folder}/package.json`))
  const paths = filesBelow(join(folder, 'src')).filter((path) => !isTest(path))
  const used = new Set()
  for (const path of paths) {
    const targets = []
    for (const { specifier, typeOnly, lazy } of importsOf(path)) {
      if (specifier.startsWith('.')) {
        const target = resolveImport(path, specifier)
        targets.push(target)
        if (!target.startsWith(`${folder}/src/`))
          problems.push(`${path} leaves its package: ${specifier}`)
        for (const [house, rooms] of Object.entries(rules.floors ?? {}))
          checkFloor(path, target, { house: join(folder, house), rooms })
      } else if (specifier.startsWith('#')) {
        if (!Object.hasOwn(manifest.imports ?? {}, specifier))
          problems.push(`${path} imports ${specifier}, which ${folder}/package.json does not name`)
      } else if (specifier.startsWith('node:')) {
        const inside = path.slice(folder.length + '/src/'.length)
        if (!(rules.node ?? []).some((start) => inside.startsWith(start)))
          problems.push(`${path} imports ${specifier}`)
      } else
        used.add(checkPackage(path, specifier, { rules, manifest, atLoad: !typeOnly && !lazy }))
    }
    graph.set(path, targets)
  }
  checkDeclared(folder, { rules, manifest, used, paths })
  checkEntries(folder, manifest, rules)
}

function checkFloor(path, target, { house, rooms }) {
  if (!path.startsWith(`${house}/`) || !target.startsWith(`${house}/`)) return
  const floorOf = (file) => {
    const [name] = file.slice(house.length + 1).split('/')
    return rooms.findIndex((room) => room === name || (Array.isArray(room) && room.includes(name)))
  }
  // The files at the top are entries, which may take from every room.
  if (floorOf(path) === -1) {
    if (path.slice(house.length + 1).includes('/')) problems.push(`${path} is in no known room`)
  } else if (floorOf(target) === -1 || floorOf(target) > floorOf(path))
    problems.push(`${path} reaches up to ${target}`)
}

/** Checks an import of a package, and returns the name of the package. */
function checkPackage(path, specifier, { rules, manifest, atLoad }) {
  const parts = specifier.split('/')
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]
  const { mayImport, dependencies = [], optionalPeers = [], peerFolders = [] } = rules
  const inside = path.slice(path.indexOf('/src/') + '/src/'.length)
  if (name === manifest.name) problems.push(`${path} imports its own package by name: ${specifier}`)
  else if (name.startsWith('@x/')) {
    if (!mayImport.includes(name)) problems.push(`${path} may not know ${specifier}`)
    if (parts[2] === 'internal' && !(family.includes(name) && family.includes(manifest.name)))
      problems.push(`${path} imports ${specifier}, which is for packages beside it alone`)
  } else if (/\/(src|dist)\//.test(specifier)) problems.push(`${path} reaches inside ${specifier}`)
  else if (optionalPeers.includes(name)) {
    if (atLoad && !peerFolders.some((start) => inside.startsWith(start)))
      problems.push(`${path} needs ${name} when it is loaded, which may be absent`)
  } else if (!dependencies.includes(name)) problems.push(`${path} may not know ${specifier}`)
  return name
}

/** The map and the manifest name the same packages, and each of them is used. */
function checkDeclared(folder, { rules, manifest, used, paths }) {
  const { dependencies = [], optionalPeers = [], unchecked = [], mayImport } = rules
  const given = { ...manifest.dependencies, ...manifest.peerDependencies }
  const wanted = new Set([...dependencies, ...optionalPeers])
  for (const name of Object.keys(given)) {
    const known = name.startsWith('@x/') ? mayImport.includes(name) : wanted.has(name)
    if (!known)
      problems.push(`${folder}/package.json declares ${name}, tools/packages.json does not`)
  }
  for (const name of [...wanted, ...mayImport]) {
    const declared = name === '@x/wire' ? manifest.devDependencies?.[name] : given[name]
    if (declared === undefined && folder !== 'internal/wire')
      problems.push(`${folder}/package.json does not declare ${name}`)
    const loaded = () => paths.some((path) => readSource(path).includes(`('${name}`))
    if (!used.has(name) && !unchecked.includes(name) && !loaded())
      problems.push(`${folder} does not use ${name}`)
  }
  for (const name of optionalPeers)
    if (manifest.peerDependenciesMeta?.[name]?.optional !== true)
      problems.push(`${folder}/package.json: ${name} is not an optional peer`)
}

/** What is exported is there and is built, and `./internal` stays within its limit. */
function checkEntries(folder, manifest, rules) {
  if (!folder.startsWith('packages/')) return
  const sources = []
  for (const [key, entry] of Object.entries(manifest.exports)) {
    const source = typeof entry === 'string' ? entry : entry['@x/source']
    if (source === './package.json') continue
    sources.push(source)
    if (!existsSync(join(root, folder, source)))
      problems.push(`${folder} exports ${key}, but ${source} is not there`)
  }
  for (const { node, default: plain } of Object.values(manifest.imports ?? {}))
    for (const { default: built } of [node.default, plain.default])
      sources.push(built.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
  for (const command of Object.values(manifest.bin ?? {}))
    if (command.startsWith('./dist/'))
      sources.push(command.replace('./dist/', './src/').replace(/\.js$/, '.ts'))
    // A program loads a file of its own, which is no entry.
    else
      for (const [, name] of readSource(join(folder, command)).matchAll(/dist\/([\w-]+)\.js/g))
        sources.push(`./src/${name}.ts`)
  if (JSON.stringify(withEntries(manifest)) !== JSON.stringify(manifest))
    problems.push(`${folder}/package.json: run node tools/package-entries.mjs`)
  const builds = readSource(`${folder}/tsup.config.ts`)
  const built = [...builds.matchAll(/'(src\/[^']+)'/g)].map(([, source]) => `./${source}`)
  const differ = [...new Set([...sources, ...built])].filter(
    (source) => !sources.includes(source) || !built.includes(source),
  )
  for (const source of differ)
    problems.push(`${folder}: ${source} is exported or built, but not both`)
  if (rules.internal === undefined) return
  const { size } = namesOf(join(folder, 'src/internal.ts'))
  if (size > rules.internal)
    problems.push(`${folder}/src/internal.ts exports ${size} names, the limit is ${rules.internal}`)
}

/** No name has two homes among the entries of packages that are used together. */
function checkHomes() {
  const homes = new Map()
  for (const [folder, { internal }] of Object.entries(packages)) {
    const manifest = JSON.parse(readSource(`${folder}/package.json`))
    if (!family.includes(manifest.name)) continue
    for (const [key, entry] of Object.entries(manifest.exports)) {
      if (key === './package.json') continue
      if (key === './internal' && internal === undefined)
        problems.push(`${folder} exports ./internal without a limit in tools/packages.json`)
      for (const name of namesOf(join(folder, entry['@x/source'])))
        homes.set(name, [...(homes.get(name) ?? []), manifest.name + key.slice(1)])
    }
  }
  for (const [name, entries] of homes)
    if (entries.length > 1) problems.push(`${name} is exported by ${entries.join(' and ')}`)
}

/** What is read by hosts does not name what is for siblings alone. */
function checkInternalUse() {
  const inner = new RegExp(`from '(?:${family.join('|')})/internal(?:/node)?'`)
  const pages = filesBelow('docs', (path) => path.endsWith('.md'))
  for (const path of [...filesBelow('examples'), ...pages])
    if (inner.test(readFileSync(join(root, path), 'utf8')))
      problems.push(`${path} imports what is for sibling packages alone`)
}

checkHomes()
checkInternalUse()
for (const group of circlesOf(graph)) problems.push(`circle: ${group.join(' -> ')}`)
for (const problem of problems) console.error(problem)
if (problems.length === 0) console.log(`${graph.size} files keep to the boundaries`)
process.exitCode = problems.length > 0 ? 1 : 0
