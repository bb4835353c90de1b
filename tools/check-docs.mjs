// Checks the documentation: every `ts` block of README and docs type-checks as a module of its own, every
// other block has a test or a reason, relative links and their anchors lead somewhere, every error code has
// a heading in the reference, tables of options, events, limits and entries name what the code has, the
// tests that docs/journeys.md names exist and so do those of the rules that SECURITY.md cites, and every
// rule number that is cited is defined in docs/spec.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorsOf } from './anchors.mjs'
import { problemsOfCommands } from './check-commands.mjs'
import { problemsOfErrors } from './check-errors.mjs'
import { problemsOfJourneys } from './check-journeys.mjs'
import { problemsOfSecurity } from './check-security.mjs'
import { checkSpec } from './check-spec.mjs'
import { problemsOfTables } from './check-tables.mjs'
import { problemsOfCards } from './package-cards.mjs'
import { filesBelow, root } from './sources.mjs'

const isMarkdown = (path) => path.endsWith('.md')
const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'].filter((path) => existsSync(join(root, path))),
  ...['docs', 'packages', 'examples'].flatMap((folder) => filesBelow(folder, isMarkdown)),
]
const spec = checkSpec()
const problems = [
  ...problemsOfJourneys(),
  ...problemsOfSecurity(),
  ...problemsOfErrors(),
  ...problemsOfCommands(pages),
  ...problemsOfTables(),
  ...problemsOfCards(),
  ...spec.problems,
]
// Inside the work tree, so that the workspace's packages and types are found; removed at the end.
const scratch = join(root, '.docs-check')
const files = []

const anchors = new Map()

function anchorsIn(page) {
  if (!anchors.has(page)) anchors.set(page, anchorsOf(readFileSync(join(root, page), 'utf8')))
  return anchors.get(page)
}

function blocksOf(page) {
  const text = readFileSync(join(root, page), 'utf8')
  const blocks = []
  for (const match of text.matchAll(/^```ts(?: +\w+)?\n([\s\S]*?)^```$/gm)) {
    const line = text.slice(0, match.index).split('\n').length
    blocks.push({ line, code: match[1] })
  }
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '')
  for (const match of prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
    const [, path, anchor] = match
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) problems.push(`${page}: no ${path}`)
    else if (anchor !== undefined && isMarkdown(target) && !anchorsIn(target).has(anchor))
      problems.push(`${page}: no heading for ${path}#${anchor}`)
  }
  return blocks
}

rmSync(scratch, { recursive: true, force: true })
mkdirSync(scratch, { recursive: true })
try {
  for (const page of pages) {
    for (const { line, code } of blocksOf(page)) {
      const name = `${page.replaceAll(/[/\\]/g, '_').replace(/\.md$/, '')}_${line}.ts`
      writeFileSync(
        join(scratch, name),
        /^(import|export)\b/m.test(code) ? code : `${code}\nexport {}\n`,
      )
      files.push(name)
    }
  }
  writeFileSync(
    join(scratch, 'tsconfig.json'),
    JSON.stringify({
      extends: '../tsconfig.base.json',
      compilerOptions: { noUnusedLocals: false, types: ['node'] },
      files,
    }),
  )
  if (files.length > 0)
    execFileSync(
      process.execPath,
      [join(root, 'node_modules/typescript-native/bin/tsc'), '-p', scratch],
      {
        cwd: root,
        encoding: 'utf8',
        stdio: 'pipe',
      },
    )
} catch (error) {
  problems.push(String(error.stdout ?? error).trim())
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
for (const problem of problems) console.error(problem)
if (problems.length === 0)
  console.log(
    `${files.length} code blocks of ${pages.length} pages type-check; ${spec.summary}, ${spec.untested.length} built without a test`,
  )
process.exitCode = problems.length > 0 ? 1 : 0
