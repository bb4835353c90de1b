import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'

// The program of `npm start`: the same as `src/main.ts`, ready in half the time.
const joined = new URL('dist/main.js', import.meta.url)
await joinSources(fileURLToPath(new URL('src/main.ts', import.meta.url)), fileURLToPath(joined))
// Node 22 keeps the compiled code beside it: the next start need not compile what it needs again.
module.enableCompileCache?.(fileURLToPath(new URL('dist/compiled', import.meta.url)))
await import(joined.href)
