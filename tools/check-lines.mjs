// Bounds the length of files (sources 350 lines, tests 500) and reports how long they usually are.
import { filesBelow, isTest, readSource } from './sources.mjs'

const LIMIT = { source: 350, test: 500 }
const lengths = { source: [], test: [] }
const problems = []
for (const folder of ['packages', 'internal', 'examples']) {
  for (const path of filesBelow(folder)) {
    const kind = isTest(path) ? 'test' : 'source'
    const text = readSource(path)
    const lines = text.split('\n').length - 1
    lengths[kind].push(lines)
    if (lines > LIMIT[kind]) problems.push(`${path}: ${lines} lines (limit ${LIMIT[kind]})`)
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
