// Bounds the length of files (sources 350 lines, tests 500) and reports how long they usually are. Finds calls
// that pass a list as arguments, which throws a RangeError from about 120,000 items on.
import { filesBelow, isTest, readSource } from '../sources.mjs'

const LIMIT = { source: 350, test: 500 }
const SPREAD =
  /\b(?:push|unshift|splice|Math\.(?:max|min)|fromCharCode|fromCodePoint)\([^()[{]*\.\.\./g

/** The problems, and one line about sources and one about tests. */
export function checkLines() {
  const lengths = { source: [], test: [] }
  const problems = []
  for (const path of ['packages', 'internal', 'examples', 'tests'].flatMap((folder) =>
    filesBelow(folder),
  )) {
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
  return { problems, summary: Object.entries(lengths).map(([kind, all]) => describe(kind, all)) }
}

function describe(kind, all) {
  const sorted = all.toSorted((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  const total = all.reduce((sum, lines) => sum + lines, 0)
  return `${kind}: ${all.length} files, ${total} lines, median ${at(0.5)}, 95 % below ${at(0.95)}`
}
