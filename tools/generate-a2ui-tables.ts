// Writes the tables of the catalogs of A2UI 0.9.1 from their published documents:
//   node --import tsx --conditions=@x/source tools/generate-a2ui-tables.ts FOLDER
// FOLDER holds `catalogs/basic.json` and `catalogs/minimal.json` of that version.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { compileCatalog } from '../packages/surface-protocol/src/catalog/v09/compile-catalog.ts'

const [folder = ''] = process.argv.slice(2)
for (const name of ['basic', 'minimal']) {
  const document = JSON.parse(readFileSync(join(folder, 'catalogs', `${name}.json`), 'utf8'))
  const table = JSON.stringify(compileCatalog(document))
  const text = `import type { CatalogTable } from './table.ts'

/**
 * The ${name} catalog of A2UI 0.9.1, made by tools/generate-a2ui-tables.ts from the published document
 * (Copyright Google LLC and the A2UI authors, Apache License 2.0).
 */
export const ${name}Table = ${table} as const satisfies CatalogTable
`
  const path = join(
    import.meta.dirname,
    '../packages/surface-protocol/src/catalog/v09',
    `${name}-table.ts`,
  )
  const style = { parser: 'typescript', semi: false, singleQuote: true, printWidth: 100 } as const
  writeFileSync(path, await format(text, style))
}
