// The names that a file of TypeScript exports, those of `export *` included.
import { readSource, resolveImport } from './sources.mjs'

const LISTS = /^export (?:type )?\{([^}]*)\}/gm
const STARS = /^export \* from '(\.[^']*)'/gm
const DECLARED =
  /^export (?:declare |abstract |async )*(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm

/** @returns {Set<string>} */
export function namesOf(/** @type {string} */ path) {
  const text = readSource(path)
  const names = new Set([...text.matchAll(DECLARED)].map(([, name]) => name))
  for (const [, list] of text.matchAll(LISTS)) {
    const items = list.replaceAll(/\/\/.*/g, '').split(',')
    for (const item of items) {
      const name = item.trim().split(/\s+/).at(-1)
      if (name) names.add(name)
    }
  }
  for (const [, from] of text.matchAll(STARS))
    for (const name of namesOf(resolveImport(path, from))) names.add(name)
  return names
}
