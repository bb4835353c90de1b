// Every block of commands, and every other block that `npm run check:docs` does not compile, is run or read
// by a test, or says beside its language why not: "```sh not run: needs Docker". Guides tell their readers
// to install what their code imports.
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HOSTS } from '../hosts/plan.mjs'
import { root } from '../sources.mjs'

/** Blocks of these languages are outputs, or `check:docs` compiles them. */
const CHECKED = new Set(['ts', 'text', ''])

const COMMANDS = 'tests/docs/commands.long.ts'
const READMES = 'tests/docs/example-readmes.long.ts'

/** For each page the number of its blocks, and what runs them. */
const RUN_BY = {
  'README.md': [2, '.ci/run', 'tests/operate/first-start.long.ts', 'tools/check-packages.mjs'],
  'CONTRIBUTING.md': [1, '.ci/run'],
  'docs/index.md': [1, '.ci/run', 'tests/operate/first-start.long.ts'],
  'docs/guides/deploy.md': [2, COMMANDS],
  'docs/guides/durable-runs.md': [1, COMMANDS],
  'docs/guides/flows-as-code.md': [
    7,
    'packages/flow-tools/test/guide.test.ts',
    'examples/flows-as-code/test/starter.test.ts',
  ],
  'docs/guides/human-in-the-loop.md': [1, COMMANDS],
  'docs/guides/mcp.md': [3, 'tests/docs/mcp.long.ts', 'tests/journeys/python-clients.long.ts'],
  'docs/guides/migrate-from-langflow.md': [3, 'tests/upgrade/migrate.long.ts'],
  'docs/guides/openai-clients.md': [
    3,
    'tests/docs/openai-clients.long.ts',
    'tests/journeys/python-clients.long.ts',
  ],
  'docs/guides/operate.md': [5, COMMANDS, 'tests/operate/guide.test.ts'],
  'docs/guides/python-components.md': [
    2,
    'examples/reference-server/test/python-settings.test.ts',
    'packages/flow-python/test/python/flows.long.ts',
  ],
  'docs/guides/quick-start.md': [
    5,
    COMMANDS,
    'tests/operate/first-start.long.ts',
    'tests/journeys/demo.long.ts',
  ],
  'docs/guides/scim-conformance.md': [5, 'tests/journeys/scim2-tester.long.ts'],
  'docs/guides/scim-connect.md': [3, COMMANDS, 'tests/docs/scim-connect.test.ts'],
  'docs/guides/scim-own-tables.md': [4, 'tools/follow-guide.mjs'],
  'docs/guides/troubleshooting.md': [1, COMMANDS],
  'docs/guides/visual-editor.md': [2, COMMANDS],
  'examples/express-mcp/README.md': [1, READMES],
  'examples/express-scim/README.md': [2, READMES],
  'examples/fastify-flow/README.md': [2, READMES],
  'examples/hono-surface/README.md': [3, READMES],
  'examples/openai-chat/README.md': [1, READMES],
  'examples/own-store/README.md': [2, READMES],
  'examples/own-users/README.md': [2, READMES],
  'examples/resource-types/README.md': [2, READMES],
  'examples/webhook-receiver/README.md': [1, READMES],
  'examples/flows-as-code/README.md': [1, 'vitest.workspace.ts'],
  'examples/in-process-tests/README.md': [1, 'vitest.workspace.ts'],
  'examples/next-app/README.md': [1, 'examples/next-app/smoke.mjs'],
  'examples/reference-server/README.md': [1, COMMANDS, 'tests/journeys/demo.long.ts'],
  'examples/surface-viewer/README.md': [1, 'examples/hono-surface/test/smoke.long.ts'],
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** True if a block only installs packages that the tests of this repository use too. */
function installsKnown(code) {
  const lines = code.replaceAll(/#.*$/gm, '').trim().split('\n')
  const names = lines.flatMap((line) => {
    const [, packages] = /^npm install (?:--save-dev )?(.+)$/.exec(line.trim()) ?? []
    return packages?.trim().split(' ') ?? ['not a package']
  })
  return names.every((name) => `node_modules/${name.replace(/(?<=.)@.*$/, '')}` in lock.packages)
}

/** The package that has to be installed beside a package or subpath of the workspace. */
const PEERS = {
  '@x/store-kysely': 'kysely',
}

/** The packages that the code of a guide needs, and that it does not tell its reader to install. */
function notInstalled(text) {
  const code = [...text.matchAll(/^ *```ts[^`\n]*\n([\s\S]*?)^ *```$/gm)].map(([, block]) => block)
  const imported = [...code.join('\n').matchAll(/ from '([^.'][^']*)'/g)].map(([, name]) => name)
  const needed = imported
    .filter((name) => !name.startsWith('node:'))
    .flatMap((name) => {
      const [, owner] = /^(@[^/]+\/[^/]+|[^/]+)/.exec(name)
      return [owner, PEERS[owner] ?? PEERS[name] ?? owner]
    })
  const told = [...text.matchAll(/npm install ([^`#]+?)(?=`|#|\n\n|\n```|\nnpm)/g)]
  const installed = told
    .flatMap(([, names]) => names.split(/\s+/))
    .map((name) => name.replace(/(?<=.)@.*$/, ''))
  return [...new Set(needed)].filter((name) => !installed.includes(name))
}

/** Commands without a test or a reason, and blocks without a package to install. */
export function problemsOfCommands(pages) {
  const problems = []
  for (const page of pages) {
    if (page.startsWith('docs/spec/')) continue
    const text = readFileSync(join(root, page), 'utf8')
    const blocks = [...text.matchAll(/^ *```([^`\n]*)\n([\s\S]*?)^ *```$/gm)]
    const open = blocks.filter(([, info, code]) => {
      if (CHECKED.has(info)) return false
      const [, reason] = / not run:(.*)$/.exec(info) ?? []
      return reason === undefined ? !installsKnown(code) : reason.trim().length < 5
    })
    const [count = 0, ...tests] = RUN_BY[page] ?? []
    if (page.startsWith('docs/frameworks/')) {
      const isFollowed = HOSTS.some((host) => host.pages?.includes(basename(page, '.md')))
      if (!isFollowed) problems.push(`${page}: no app of tools/hosts/plan.mjs follows it`)
      continue
    }
    if (open.length !== count)
      problems.push(
        `${page}: ${open.length} blocks to run, ${count} in tools/check/commands.mjs: let a test run them, or write "not run: why" after the language`,
      )
    for (const test of tests) problems.push(...problemsOfTest(page, test))
    if (!page.startsWith('docs/guides/')) continue
    const missing = notInstalled(text)
    if (missing.length > 0) problems.push(`${page}: no npm install of ${missing.join(', ')}`)
  }
  for (const page of Object.keys(RUN_BY))
    if (!pages.includes(page)) problems.push(`tools/check/commands.mjs: no ${page}`)
  return problems
}

/** Tests of the commands of guides name them. */
function problemsOfTest(page, test) {
  if (!existsSync(join(root, test))) return [`tools/check/commands.mjs: no ${test}`]
  const name = basename(page, '.md')
  const named = page.startsWith('docs/guides/') && test.startsWith('tests/docs/')
  return named && !readFileSync(join(root, test), 'utf8').includes(name)
    ? [`${test} does not name ${page}`]
    : []
}
