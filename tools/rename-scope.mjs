// Gives the packages another scope, everywhere: `npm run rename-scope -- @acme`, with
// `--repository https://github.com/acme/enterprise` also the addresses in the manifests.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './sources.mjs'

const SCOPE = /^@[a-z0-9][a-z0-9._-]*$/

/** Renames in all files below `folder` that Git knows; gives the number of files that changed. */
export function renameScope(folder, scope, repository) {
  if (!SCOPE.test(scope)) throw new Error(`"${scope}" is not a scope of npm, such as @acme.`)
  const manifest = JSON.parse(readFileSync(join(folder, 'packages/scim-core/package.json'), 'utf8'))
  const present = manifest.name.slice(0, manifest.name.indexOf('/'))
  // Not inside an address (`ada@x.example`); a regular expression writes the slash with a backslash.
  const name = new RegExp(String.raw`(?<![\w.])${present}(?=\\?/|[^\w.\\/-]|$)`, 'g')
  const from = manifest.repository.url.replace(/^git\+|\.git$/g, '')
  let changed = 0
  for (const path of trackedTexts(folder)) {
    const file = join(folder, path)
    const text = readFileSync(file, 'utf8')
    let renamed = text.replaceAll(name, scope)
    if (repository !== undefined && path.endsWith('package.json'))
      renamed = renamed.replaceAll(from, repository)
    if (renamed === text) continue
    writeFileSync(file, renamed)
    changed += 1
  }
  return changed
}

function trackedTexts(folder) {
  return execFileSync('git', ['grep', '-I', '-l', '--untracked', ''], {
    cwd: folder,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [scope, option, repository] = process.argv.slice(2)
  if (scope === undefined || (option !== undefined && option !== '--repository')) {
    throw new Error('Usage: npm run rename-scope -- @scope [--repository ADDRESS]')
  }
  console.log(
    `${renameScope(root, scope, repository)} files renamed. Next: npm install && npm run format`,
  )
}
