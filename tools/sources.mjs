// The TypeScript files of the workspace and what they import: shared by the checks beside it.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

// Made by `npm run docs`, never committed.
const generated = ['docs/api', 'docs/.vitepress/cache']

/** Paths below `folder`, relative to the root, without installed, built and recorded files. */
export function filesBelow(folder, keep = (path) => path.endsWith('.ts')) {
  const found = []
  for (const name of readdirSync(join(root, folder)).toSorted()) {
    const path = join(folder, name)
    if (['node_modules', 'dist', 'golden', '.next', 'data'].includes(name)) continue
    if (generated.includes(path)) continue
    if (statSync(join(root, path)).isDirectory()) found.push(...filesBelow(path, keep))
    else if (keep(path)) found.push(path)
  }
  return found
}

export const isTest = (path) => /\.test\.ts$|\/test\/|^tests\//.test(path)

const texts = new Map()

/** The text of a file, read once. */
export function readSource(path) {
  if (!texts.has(path)) texts.set(path, readFileSync(join(root, path), 'utf8'))
  return texts.get(path)
}

const IMPORT =
  /^\s*(?:import|export)\s(type\s)?(?:[^'"`;]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

/** The imports of a file, with re-exports and `lazy` ones; `typeOnly` imports are gone at run time. */
export function importsOf(path) {
  return [...readSource(path).matchAll(IMPORT)].map(([, type, fixed, lazy]) => ({
    specifier: fixed ?? lazy,
    typeOnly: type !== undefined,
    lazy: lazy !== undefined,
  }))
}

/** The file that a relative import means, relative to the root. */
export const resolveImport = (path, specifier) => relative(root, join(root, path, '..', specifier))
