import module from 'node:module'
import { fileURLToPath } from 'node:url'

await import('./join.mjs')
// The program of `npm start`: the same as `src/main.ts`, ready in half the time.
const joined = new URL('dist/main.js', import.meta.url)
// Node 22 keeps the compiled code beside it: the next start need not compile what it needs again.
module.enableCompileCache?.(fileURLToPath(new URL('dist/compiled', import.meta.url)))
await import(joined.href)
