// Each rule and advisory that the threat model cites is attacked by a test that names it; a rule of abuse in
// what is shipped: by a test of the reference server, or by one that starts built packages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, root } from './sources.mjs'

const SHIPPED = /^examples\/reference-server\/test\/|\.long\.ts$/
const CITED = /\b(?:[A-Z]{2}-\d+|CVE-\d{4}-\d+)\b/g

/** The numbers in SECURITY.md that no test names, as problems. */
export function problemsOfSecurity() {
  const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
  const tested = new Set()
  const shipped = new Set()
  for (const folder of ['packages', 'examples', 'internal']) {
    for (const path of filesBelow(folder, (name) => /\.(test|long)\.ts$/.test(name))) {
      for (const [number] of readFileSync(join(root, path), 'utf8').matchAll(CITED)) {
        tested.add(number)
        if (SHIPPED.test(path)) shipped.add(number)
      }
    }
  }
  return page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => {
      const numbers = line.match(CITED) ?? []
      // A row of an advisory is proved by its own test or by that of a rule that it names.
      const rules = numbers.filter((number) => !number.startsWith('CVE-'))
      const wanted = rules.length > 0 ? rules : numbers
      return wanted
        .filter((number) => !(number.startsWith('AB-') ? shipped : tested).has(number))
        .map((number) => `SECURITY.md: no test names ${number}`)
    })
}
