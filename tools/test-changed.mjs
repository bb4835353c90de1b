// Runs the tests of the packages that differ from `main` (or the branch named as parameter), and of those
// that depend on them.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.mjs'

const [base = 'main', ...rest] = process.argv.slice(2)

const git = (...parameters) =>
  execFileSync('git', parameters, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)

/** Each workspace folder with its name and the names that it depends on. */
const workspaces = ['packages', 'internal', 'examples'].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => `${group}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .map((folder) => {
      const file = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const needs = [file.dependencies, file.devDependencies, file.peerDependencies]
      return { folder, name: file.name, needs: needs.flatMap((names) => Object.keys(names ?? {})) }
    }),
)

const [start = 'HEAD'] = git('merge-base', base, 'HEAD')
const changed = [
  ...git('diff', '--name-only', start),
  ...git('ls-files', '--others', '--exclude-standard'),
]
const touched = new Set(
  workspaces
    .filter(({ folder }) => changed.some((path) => path.startsWith(`${folder}/`)))
    .map(({ name }) => name),
)
// Packages name what they import; the loop ends when no package is added.
for (let size = -1; size !== touched.size;) {
  size = touched.size
  for (const { name, needs } of workspaces)
    if (needs.some((need) => touched.has(need))) touched.add(name)
}
const folders = workspaces.filter(({ name }) => touched.has(name)).map(({ folder }) => folder)
if (folders.length === 0) {
  console.log(`No package differs from ${base}.`)
} else {
  console.log(`Tests of ${folders.join(', ')}`)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const parameters = ['run', '--config', 'vitest.workspace.ts', '--passWithNoTests', ...rest]
  const { status } = spawnSync(
    process.execPath,
    [vitest, ...parameters, ...folders.map((folder) => `${folder}/`)],
    { cwd: root, stdio: 'inherit' },
  )
  process.exitCode = status ?? 1
}
