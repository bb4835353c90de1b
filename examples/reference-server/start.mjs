import { fileURLToPath } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'

// The program of `npm start`: the same as `src/main.ts`, ready in half the time.
const joined = new URL('dist/main.js', import.meta.url)
await joinSources(fileURLToPath(new URL('src/main.ts', import.meta.url)), fileURLToPath(joined))
await import(joined.href)
