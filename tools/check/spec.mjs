// Compares the rules of docs/spec with the tests: a number that is cited must be defined once. A bench
// proves the rules whose figures it holds to their limits.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, readSource, root } from '../sources.mjs'

const DEFINED = /^(?:- |\| )?\*\*(?<number>[A-Z]{2}-\d+[a-z]?)\*\*(?<mark> \(not built\))?/
const CITED = /\b[A-Z]{2}-\d+[a-z]?\b/g
const TEST_TITLE = /\b(?:test|it|describe)(?:\.\w+)*\(\s*(['"`])(?<title>(?:\\.|(?!\1)[\s\S])*)\1/g

const isTestFile = (path) =>
  /\.(?:test|long)\.ts$|-spec\.ts$|\/test\/.*\.ts$|^tools\/hosts\//.test(path)
const isBench = (path) => /^bench\/.*\/main\.ts$/.test(path)
const isText = (path) =>
  /\.(?:ts|mjs|md)$|^tools\/hosts\/.*\.js$/.test(path) && !path.startsWith('docs/spec/')

/** Number of each rule, with its place and whether it is marked as not built. */
function definedRules(problems) {
  const rules = new Map()
  for (const page of filesBelow('docs/spec', (path) => path.endsWith('.md'))) {
    for (const [at, line] of readSource(page).split('\n').entries()) {
      const { number, mark } = DEFINED.exec(line)?.groups ?? {}
      if (number === undefined) continue
      const place = `${page}:${at + 1}`
      const other = rules.get(number)
      if (other !== undefined) problems.push(`${place}: ${number} stands at ${other.place} too`)
      else rules.set(number, { place, planned: mark !== undefined })
    }
  }
  return rules
}

/** The rules, the problems, and the built rules that no test names. */
export function checkSpec() {
  const problems = []
  const rules = definedRules(problems)
  const prefixes = new Set([...rules.keys()].map((number) => number.slice(0, 2)))
  const named = new Set()
  const proved = new Map()
  for (const folder of ['docs', 'packages', 'internal', 'examples', 'tests', 'bench', 'tools']) {
    for (const path of filesBelow(folder, isText)) {
      const source = readSource(path)
      for (const [number] of source.matchAll(CITED)) {
        if (!prefixes.has(number.slice(0, 2))) continue
        if (!rules.has(number)) problems.push(`${path}: no page of docs/spec defines ${number}`)
        if (isTestFile(path) || isBench(path)) named.add(number)
      }
      if (!isTestFile(path)) continue
      for (const { groups } of source.matchAll(TEST_TITLE)) {
        for (const [number] of groups.title.matchAll(CITED)) {
          const place = rules.get(number)?.planned === true && rules.get(number).place
          if (place) proved.set(number, { path, place })
        }
      }
    }
  }
  const built = [...rules].filter(([, { planned }]) => !planned).map(([number]) => number)
  return {
    problems: [...new Set(problems)],
    proved,
    summary: `${rules.size} rules: ${built.length} built, ${rules.size - built.length} not built (${proved.size} of them with a test)`,
    untested: built.filter((number) => !named.has(number)),
  }
}

/** Removes the mark of rules that tests name. */
export function removeMarks({ proved }) {
  for (const [number, { place }] of proved) {
    const page = place.replace(/:\d+$/, '')
    const file = join(root, page)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(`**${number}** (not built)`, `**${number}**`))
  }
}
