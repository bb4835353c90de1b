// The project's own checks, one file for each: that what is written agrees with what is there.
//   node tools/check/main.mjs              all of them
//   node tools/check/main.mjs --untested   lists the built rules of docs/spec that no test names, too
//   node tools/check/main.mjs --fix        only removes the mark "(not built)" of rules that tests name
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { problemsOfCards } from '../package-cards.mjs'
import { filesBelow, root } from '../sources.mjs'
import { checkCodeBlocks } from './code-blocks.mjs'
import { problemsOfCommands } from './commands.mjs'
import { problemsOfErrors } from './errors.mjs'
import { problemsOfJourneys } from './journeys.mjs'
import { checkLines } from './lines.mjs'
import { problemsOfLinks } from './links.mjs'
import { problemsOfSecurity } from './security.mjs'
import { checkSpec, removeMarks } from './spec.mjs'
import { problemsOfTables } from './tables.mjs'

const isMarkdown = (path) => path.endsWith('.md')
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((path) => existsSync(join(root, path))),
  ...['docs', 'packages', 'examples', 'tests'].flatMap((folder) => filesBelow(folder, isMarkdown)),
]
if (process.argv.includes('--fix')) {
  removeMarks(checkSpec())
  process.exit()
}
const spec = checkSpec()
const lines = checkLines()
const blocks = checkCodeBlocks(pages)
const problems = [
  ...lines.problems,
  ...problemsOfJourneys(),
  ...problemsOfSecurity(),
  ...problemsOfErrors(),
  ...problemsOfCommands(pages),
  ...problemsOfTables(),
  ...problemsOfCards(),
  ...problemsOfLinks(pages),
  ...spec.problems,
  ...blocks.problems,
]
for (const problem of problems) console.error(problem)
for (const [number, { path, place }] of spec.proved)
  console.log(
    `${place}: ${number} is marked "(not built)"; ${path} tests it (--fix removes the mark)`,
  )
for (const line of lines.summary) console.log(line)
console.log(`${blocks.count} code blocks of ${pages.length} pages type-check`)
console.log(`${spec.summary}, ${spec.untested.length} built without a test`)
if (process.argv.includes('--untested')) for (const number of spec.untested) console.log(number)
process.exitCode = problems.length > 0 ? 1 : 0
