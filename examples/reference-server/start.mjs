import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { isJoined } from '../../tools/join-sources.mjs'

refuseOldNode(process.versions.node)

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

await joinUnlessCurrent()
// The program of `npm start`: the same as `src/main.ts`, ready in half the time.
const joined = new URL('dist/main.js', import.meta.url)
// Node 22 keeps the compiled code beside it: the next start need not compile what it needs again.
module.enableCompileCache?.(pathOf('dist/compiled'))
await import(joined.href)

/** Joining happens in a process of its own, because the server would keep the memory that it takes. */
async function joinUnlessCurrent() {
  if (await isJoined(pathOf('dist/main.js'))) return
  const { spawnSync } = await import('node:child_process')
  const joining = spawnSync(process.execPath, [pathOf('join.mjs')], { stdio: 'inherit' })
  if (joining.status !== 0) process.exit(joining.status ?? 1)
}

/** Older versions would fail with an error of a library's code: `npm ci` only warns about them. */
function refuseOldNode(version) {
  const [major, minor] = version.split('.').map(Number)
  const isRecent = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22
  if (isRecent) return
  console.error(`Node ${version} is too old: install Node 24, or 20.19 or 22.12 at least`)
  process.exit(1)
}
