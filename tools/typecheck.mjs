// Type-checks the workspace and the programs for browsers, which have types of their own.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './sources.mjs'

const PROJECTS = [
  '.',
  'examples/surface-viewer/browser',
  'examples/reference-server/console',
  'packages/directory-portal/browser',
]
const compiler = join(root, 'node_modules/typescript-native/bin/tsc')
for (const project of PROJECTS) {
  const { status } = spawnSync(process.execPath, [compiler, '-p', project], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}
