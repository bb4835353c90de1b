import { fileURLToPath } from 'node:url'
import { joinSources } from '../../tools/join-sources.mjs'

const pathOf = (name) => fileURLToPath(new URL(name, import.meta.url))

// Bundles the program into one file, which needs neither TypeScript nor write access to its folder.
await joinSources(pathOf('src/main.ts'), pathOf('dist/main.js'))
