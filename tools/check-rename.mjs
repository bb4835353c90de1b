// Renames the scope in a copy of the workspace, then type-checks the copy and runs one of its tests.
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renameScope } from './rename-scope.mjs'
import { root } from './sources.mjs'

const SCOPE = '@acme'
const copy = mkdtempSync(join(tmpdir(), 'x-renamed-'))
const run = (command, args) =>
  execFileSync(command, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Installed packages are shared; those of the workspace are the copy's own, under the new scope. */
function linkPackages() {
  for (const folder of ['.', ...run('git', ['ls-files', '*/package.json']).split('\n')]) {
    const from = join(root, folder, '..', 'node_modules')
    if (folder !== '.' && folder !== '' && existsSync(from))
      symlinkSync(from, join(copy, folder, '..', 'node_modules'))
  }
  const modules = join(copy, 'node_modules')
  mkdirSync(join(modules, SCOPE), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (name !== '@x') symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const group of ['packages', 'internal']) {
    for (const name of readdirSync(join(copy, group))) {
      symlinkSync(join(copy, group, name), join(modules, SCOPE, name))
    }
  }
}

try {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  for (const path of tracked.split('\0')) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(copy, path))
  }
  run('git', ['init', '-q'])
  run('git', ['add', '-A'])
  const changed = renameScope(copy, SCOPE, 'https://github.com/acme/enterprise')
  linkPackages()
  run('node_modules/typescript-native/bin/tsc', [])
  run('node_modules/.bin/vitest', [
    'run',
    '--config',
    'vitest.workspace.ts',
    '--project',
    'in-process-tests',
  ])
  console.log(`${changed} files renamed: the copy type-checks and its test passes`)
} finally {
  rmSync(copy, { recursive: true, force: true })
}
