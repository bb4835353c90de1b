// Writes the table by which nodes of any version find their component (rules NX-1 and NX-2).
// Usage: node tools/make-type-table.mjs type-migrations.json
// The input is a list of types with the names that flow files use for them; only names and reasons
// are taken over. New names may also be added to the table itself by hand.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const target = new URL(
  '../packages/flow-engine/src/components/registry/type-table.json',
  import.meta.url,
)
const [input] = process.argv.slice(2)
if (input === undefined) throw new TypeError('Give the file of type migrations')
const { types, ambiguous } = JSON.parse(readFileSync(input, 'utf8'))

/** @type {Record<string, Record<string, unknown>>} */
const table = {}
for (const type of Object.keys(types).toSorted()) {
  const { ext = [], classes = [], aliases = [], modules = [], why } = types[type]
  const names = [...new Set([...classes, ...aliases])].filter((name) => name !== type)
  table[type] = {
    ...(ext.length > 0 ? { ext } : {}),
    ...(names.length > 0 ? { names } : {}),
    ...(modules.length > 0 ? { modules } : {}),
    ...(why === undefined ? {} : { why }),
  }
}
const text = JSON.stringify({ ambiguous: Object.keys(ambiguous).toSorted(), types: table }, null, 2)
writeFileSync(target, `${text}\n`)
console.log(`${Object.keys(table).length} types: ${fileURLToPath(target)}`)
