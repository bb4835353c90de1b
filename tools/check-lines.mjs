// Bounds the length of files (sources 400 lines, tests 500) and reports how long they usually are. A
// source of over 350 lines says why in its first line.
import { filesBelow, isTest, readSource } from './sources.mjs'

const LIMIT = { source: 400, test: 500 }
const lengths = { source: [], test: [] }
const problems = []
for (const folder of ['packages', 'internal', 'examples']) {
  for (const path of filesBelow(folder)) {
    const kind = isTest(path) ? 'test' : 'source'
    const text = readSource(path)
    const lines = text.split('\n').length - 1
    lengths[kind].push(lines)
    if (lines > LIMIT[kind]) problems.push(`${path}: ${lines} lines (limit ${LIMIT[kind]})`)
    if (kind === 'source' && lines > 350 && !text.startsWith('// Over 350 lines: ')) {
      problems.push(`${path}: ${lines} lines, and no reason in the first (// Over 350 lines: ...)`)
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
