// Each rule and advisory that the threat model cites is attacked by a test that names it. The threat model
// names every rule of abuse; a test of what is shipped names the rule in its title, and measures.
import { filesBelow, readSource } from '../sources.mjs'
import { shippedRules } from '../shipped-tests.mjs'

const CITED = /\b(?:[A-Z]{2}-\d+|CVE-\d{4}-\d+)\b/g

/** The rules of abuse that SECURITY.md leaves out or nobody attacks, and the numbers that no test names. */
export function problemsOfSecurity() {
  const rows = readSource('SECURITY.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
  return [...problemsOfRules(rows), ...problemsOfCitations(rows)]
}

function problemsOfRules(rows) {
  const listed = new Set(rows.flatMap((row) => row.match(CITED) ?? []))
  const shipped = shippedRules()
  const rules = [...readSource('docs/spec/abuse.md').matchAll(/^\*\*(AB-\d+)\*\*/gm)]
  return rules.flatMap(([, rule]) => [
    ...(listed.has(rule) ? [] : [`SECURITY.md: no table names ${rule}`]),
    ...(shipped.has(rule)
      ? []
      : [`SECURITY.md: no test of what is shipped has ${rule} in its title`]),
    ...(shipped.get(rule) === false
      ? [`SECURITY.md: no test of ${rule} measures a time or memory`]
      : []),
  ])
}

function problemsOfCitations(rows) {
  const tested = new Set()
  for (const folder of ['packages', 'examples', 'internal', 'tests']) {
    for (const path of filesBelow(folder, (name) => /\.(test|long)\.ts$/.test(name)))
      for (const [number] of readSource(path).matchAll(CITED)) tested.add(number)
  }
  return rows.flatMap((line) => {
    const numbers = line.match(CITED) ?? []
    // A row of an advisory is proved by its own test or by that of a rule that it names.
    const rules = numbers.filter((number) => !number.startsWith('CVE-'))
    const wanted = rules.length > 0 ? rules : numbers
    return wanted
      .filter((number) => !tested.has(number))
      .map((number) => `SECURITY.md: no test names ${number}`)
  })
}
