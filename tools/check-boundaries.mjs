// Holds the direction of imports: which package may know which, where `node:` may appear, that nothing
// reaches into another package's inside, that no files import each other in a circle, types included,
// and that the rooms of a package keep the order of their floors.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, importsOf, isTest, resolveImport, root } from './sources.mjs'

/** Packages that the published sources of each package may import besides their own. */
const allowed = {
  'internal/wire': ['mitt', 'rou3'],
  'packages/surface-protocol': ['@x/wire', 'zod'],
  'packages/scim-core': ['@x/wire', 'mitt', 'jose', '@noble/hashes'],
  'packages/flow-engine': ['@x/wire', 'zod', 'mitt', 'jose'],
  'packages/store-kysely': ['@x/scim-core', '@x/flow-engine', 'kysely', 'pg'],
  'packages/http-adapters': ['@x/wire'],
}

/** Packages that may import whatever they declare besides: libraries of single components. */
const OPEN = new Set(['packages/flow-engine'])

/** The parts that may use Node's own modules. */
const nodeAllowed = [
  /^packages\/(flow-engine|scim-core)\/src\/(contract|testing)\//,
  /^packages\/flow-engine\/src\/node(\.ts|\/)/,
  /^packages\/flow-engine\/src\/python(\.ts|\/)/,
  /^packages\/flow-engine\/src\/testing\/fake-openai\.ts/,
  /^packages\/store-kysely\//,
  /^packages\/http-adapters\/src\/(node\.ts|express\.ts|fastify\.ts|lib\/node\/)/,
]

/**
 * Rooms of a package in the order of its floors: a room imports itself and those before it, types too.
 * Rooms in brackets share a floor.
 */
const floors = {
  'packages/flow-engine/src': [
    'base',
    ['errors.ts', 'refusal.ts', 'outgoing', 'archive', 'models', 'graph', 'components'],
    'settings.ts',
    'events.ts',
    'store',
    ['memory', 'jobs'],
    ['options.ts', 'services', 'mcp'],
    'wire',
    'http',
    'components.ts',
    'contract',
    'testing',
    'node',
    'python',
    'bullmq',
    'otel',
  ],
  'packages/flow-engine/src/components': [
    'define',
    'values',
    'tools',
    'registry',
    'node',
    'web',
    'text',
    'chat',
    'built-in',
  ],
  'packages/flow-engine/src/services': [
    'crypto',
    'names',
    'records',
    'limits',
    'base',
    'files',
    'catalogue',
    'flows',
    'accounts',
    'component-store',
    'collections',
    'runs',
    'builds',
    'answers',
    'openai',
    'mcp',
  ],
  'packages/flow-engine/src/http': ['request', 'route', 'response', 'access', 'routes', 'openapi'],
  'packages/store-kysely/src': [
    'engine',
    'query',
    'records',
    'schema',
    'connections',
    'scim',
    'flow',
    'jobs',
    'rate',
    'link',
  ],
  'packages/flow-engine/src/graph': [
    'values',
    'flow',
    'draft',
    'plan',
    'events',
    'messages',
    'context',
    'schedule',
    'vertex',
    'results',
    'durable',
    'run',
  ],
  'packages/surface-protocol/src': [
    'json.ts',
    'diagnostics',
    'data',
    'functions',
    'catalog',
    'graph',
    'message',
    'tree',
    'interop',
    'store',
    'build',
    'forms',
    'rpc',
    'transport',
    'llm',
    'html',
    'testing',
  ],
  'packages/scim-core/src': [
    'base',
    'schema',
    'filter',
    'store',
    'patch',
    'resource',
    'memory',
    'scan',
    'contract',
    'options',
    'rules',
    'outbound',
    'oauth',
    'connections',
    'http',
    'service',
    'testing',
  ],
}

const problems = []
const graph = new Map()

for (const [folder, names] of Object.entries(allowed)) {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  // Packages that the build inlines are development dependencies.
  const inlined = names.filter((name) => name === '@x/wire' && manifest.devDependencies?.[name])
  const declared = new Set([
    ...Object.keys(manifest.dependencies ?? {}),
    ...Object.keys(manifest.peerDependencies ?? {}),
    ...inlined,
  ])
  for (const name of names)
    if (!declared.has(name)) problems.push(`${folder}/package.json does not declare ${name}`)
  for (const path of filesBelow(join(folder, 'src'))) {
    if (isTest(path)) continue
    const targets = []
    for (const { specifier } of importsOf(path)) {
      if (specifier.startsWith('.')) {
        const target = resolveImport(path, specifier)
        targets.push(target)
        if (!target.startsWith(`${folder}/src/`))
          problems.push(`${path} leaves its package: ${specifier}`)
        checkFloor(path, target)
      } else if (specifier.startsWith('#')) {
        if (!Object.hasOwn(manifest.imports ?? {}, specifier))
          problems.push(`${path} imports ${specifier}, which ${folder}/package.json does not name`)
      } else if (specifier.startsWith('node:')) {
        if (!nodeAllowed.some((pattern) => pattern.test(path)))
          problems.push(`${path} imports ${specifier}`)
      } else checkPackage(path, specifier, { folder, names, declared, own: manifest.name })
    }
    graph.set(path, targets)
  }
  for (const [key, entry] of Object.entries(manifest.exports)) {
    const source = typeof entry === 'string' ? entry : entry['@x/source']
    if (source !== './package.json' && !existsSync(join(root, folder, source)))
      problems.push(`${folder} exports ${key}, but ${source} is not there`)
  }
}

function checkFloor(path, target) {
  for (const [house, rooms] of Object.entries(floors)) {
    if (!path.startsWith(`${house}/`) || !target.startsWith(`${house}/`)) continue
    const floorOf = (file) => {
      const [name] = file.slice(house.length + 1).split('/')
      return rooms.findIndex(
        (room) => room === name || (Array.isArray(room) && room.includes(name)),
      )
    }
    // The files at the top are entries, which may take from every room.
    if (floorOf(path) === -1) {
      if (path.slice(house.length + 1).includes('/')) problems.push(`${path} is in no known room`)
    } else if (floorOf(target) === -1 || floorOf(target) > floorOf(path))
      problems.push(`${path} reaches up to ${target}`)
  }
}

function checkPackage(path, specifier, { folder, names, declared, own }) {
  const parts = specifier.split('/')
  const name = specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]
  if (name === own) problems.push(`${path} imports its own package by name: ${specifier}`)
  else if (name.startsWith('@x/') && !names.includes(name))
    problems.push(`${path} may not know ${specifier}`)
  else if (/\/(src|dist)\//.test(specifier)) problems.push(`${path} reaches inside ${specifier}`)
  else if (!declared.has(name))
    problems.push(`${path} imports ${name}, which ${folder}/package.json does not declare`)
  else if (!names.includes(name) && !OPEN.has(folder))
    problems.push(`${path} may not know ${specifier}`)
}

/** Strongly connected files, found without recursion (Tarjan). */
function circles() {
  const state = new Map()
  const stack = []
  const found = []
  let counter = 0
  for (const start of graph.keys()) {
    if (state.has(start)) continue
    const work = [{ node: start, next: 0 }]
    while (work.length > 0) {
      const frame = work.at(-1)
      const { node } = frame
      if (!state.has(node)) {
        state.set(node, { index: counter, low: counter, onStack: true })
        counter += 1
        stack.push(node)
      }
      const targets = (graph.get(node) ?? []).filter((target) => graph.has(target))
      const target = targets[frame.next]
      const own = state.get(node)
      if (target !== undefined) {
        frame.next += 1
        const other = state.get(target)
        if (other === undefined) work.push({ node: target, next: 0 })
        else if (other.onStack) own.low = Math.min(own.low, other.index)
        continue
      }
      work.pop()
      const parent = work.at(-1)
      if (parent !== undefined) {
        const up = state.get(parent.node)
        up.low = Math.min(up.low, own.low)
      }
      if (own.low !== own.index) continue
      const group = stack.splice(stack.indexOf(node))
      for (const member of group) state.get(member).onStack = false
      if (group.length > 1) found.push(group)
    }
  }
  return found
}

for (const group of circles()) problems.push(`circle: ${group.join(' -> ')}`)
for (const problem of problems) console.error(problem)
if (problems.length === 0) console.log(`${graph.size} files keep to the boundaries`)
process.exitCode = problems.length > 0 ? 1 : 0
