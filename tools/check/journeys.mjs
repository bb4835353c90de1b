// Checks docs/journeys.md: lines of another form, tests that do not exist, duplicate journeys, and
// journey files that no line names.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, root } from '../sources.mjs'

const PAGE = 'docs/journeys.md'
/** `- Title: [file](../path) "name of the test"` */
const LINE = /^- (?<title>\S.*): \[[^\]]+\]\(\.\.\/(?<path>[^)]+)\) "(?<name>.+)"$/

/** One sentence for each problem. */
export function problemsOfJourneys() {
  const problems = []
  const named = new Set()
  const titles = new Set()
  const lines = readFileSync(join(root, PAGE), 'utf8').split('\n')
  for (const [at, line] of lines.entries()) {
    if (!line.startsWith('- ')) continue
    const where = `${PAGE}:${at + 1}`
    const { title, path, name } = LINE.exec(line)?.groups ?? {}
    if (title === undefined) problems.push(`${where}: not of the form - Title: [file](path) "test"`)
    else if (titles.has(title)) problems.push(`${where}: "${title}" stands twice`)
    else if (!existsSync(join(root, path))) problems.push(`${where}: no ${path}`)
    else if (!hasTest(path, name)) problems.push(`${where}: no test "${name}" in ${path}`)
    titles.add(title)
    named.add(path)
  }
  for (const path of journeyFiles())
    if (!named.has(path)) problems.push(`${PAGE}: no journey names ${path}`)
  return problems
}

/** The name occurs in the file as a literal, in any quotes. */
function hasTest(path, name) {
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/\\(['"`])/g, '$1')
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${name}${quote}`))
}

function journeyFiles() {
  return ['packages', 'examples', 'tests'].flatMap((folder) =>
    filesBelow(folder, (path) => /\/journeys\/.*\.(?:test|long)\.ts$/.test(path)),
  )
}
