// Bounds the length of files (sources 350 lines, tests 500) and reports how long they usually are. Finds calls
// that pass a list as arguments, which throws a RangeError from about 120,000 items on.
import { filesBelow, isTest, readSource } from './sources.mjs'

const LIMIT = { source: 350, test: 500 }
const SPREAD =
  /\b(?:push|unshift|splice|Math\.(?:max|min)|fromCharCode|fromCodePoint)\([^()[{]*\.\.\./g
const lengths = { source: [], test: [] }
const problems = []
for (const folder of ['packages', 'internal', 'examples']) {
  for (const path of filesBelow(folder)) {
    const kind = isTest(path) ? 'test' : 'source'
    const text = readSource(path)
    const lines = text.split('\n').length - 1
    lengths[kind].push(lines)
    if (lines > LIMIT[kind]) problems.push(`${path}: ${lines} lines (limit ${LIMIT[kind]})`)
    if (kind === 'test' || !path.includes('/src/')) continue
    for (const { 0: call, index } of text.matchAll(SPREAD)) {
      const line = text.slice(0, index).split('\n').length
      problems.push(
        `${path}:${line}: ${call} fails for long lists; use append of @x/wire or a loop`,
      )
    }
  }
}
for (const [kind, all] of Object.entries(lengths)) {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  const total = all.reduce((sum, lines) => sum + lines, 0)
  console.log(
    `${kind}: ${all.length} files, ${total} lines, median ${at(0.5)}, 95 % below ${at(0.95)}`,
  )
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
