// Writes the tables of the catalogs of A2UI 0.9.1 and 1.0 from their published documents:
//   node --import tsx --conditions=@x/source tools/generate-a2ui-tables.ts FOLDER
// FOLDER holds `v0_9_1/catalogs/{basic,minimal}.json` and `v1_0/catalogs/basic.json`.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { compileCatalog } from '../packages/surface-protocol/src/catalog/v09/compile-catalog.ts'
import type { CatalogTable } from '../packages/surface-protocol/src/catalog/v09/table.ts'
import { formatText } from './format-text.ts'

const [folder = ''] = process.argv.slice(2)
const sources = join(import.meta.dirname, '../packages/surface-protocol/src/catalog')

function tableOf(path: string, version: '0.9' | '1.0'): CatalogTable {
  return compileCatalog(JSON.parse(readFileSync(join(folder, path), 'utf8')), version)
}

/** Shorter parts of a row are easier to read where they stand. */
const LONG = 300

/** A table as source text; rows, and long parts of them, that are equal in `base` are taken from there. */
function textOf(table: CatalogTable, base: CatalogTable | null, name: string): string {
  const shared = new Map<string, string>()
  const share = (value: unknown, other: unknown, place: readonly string[]): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const [group = '', key] = place
    const isRow = place.length === 2 && (group === 'components' || group === 'functions')
    const isLong = key !== undefined && JSON.stringify(value).length >= LONG
    if ((isRow || isLong) && isDeepStrictEqual(value, other)) {
      const mark = `shared:${place.join('.')}`
      shared.set(
        mark,
        name + place.map((one) => (/^\d/.test(one) ? `[${one}]` : `.${one}`)).join(''),
      )
      return mark
    }
    const inside = ([one, part]: [string, unknown]): [string, unknown] => [
      one,
      share(part, Object(other)[one], [...place, one]),
    ]
    if (Array.isArray(value)) return value.map((part, at) => inside([String(at), part])[1])
    return Object.fromEntries(Object.entries(value).map(inside))
  }
  let text = JSON.stringify(share(table, base, []))
  for (const [mark, source] of shared) text = text.replace(JSON.stringify(mark), source)
  // Long enumerations take a line for each word otherwise.
  return text.replaceAll(/\["\w+"(?:,"\w+"){7,}\]/g, (list) => {
    return `words('${(JSON.parse(list) as string[]).join(' ')}')`
  })
}

async function write(
  path: string,
  { name, version, text, imports }: Record<'name' | 'version' | 'text' | 'imports', string>,
): Promise<void> {
  const source = `${imports}

/**
 * The ${name} catalog of A2UI ${version}, made by tools/generate-a2ui-tables.ts from the published document
 * (Copyright Google LLC and the A2UI authors, Apache License 2.0).
 */
export const ${name}Table${version === '1.0' ? 'V1' : ''} = ${text} as const satisfies CatalogTable
`
  writeFileSync(join(sources, path), await formatText(path, source))
}

const basic = tableOf('v0_9_1/catalogs/basic.json', '0.9')
const minimal = tableOf('v0_9_1/catalogs/minimal.json', '0.9')
const basicV1 = tableOf('v1_0/catalogs/basic.json', '1.0')
const TYPE = "import type { CatalogTable } from './table.ts'"
const WORDS = "import { words } from '../words.ts'"
const BASE = "import { basicTable } from './basic-table.ts'"

await write('v09/basic-table.ts', {
  name: 'basic',
  version: '0.9.1',
  text: textOf(basic, null, ''),
  imports: `${WORDS}\n${TYPE}`,
})
await write('v09/minimal-table.ts', {
  name: 'minimal',
  version: '0.9.1',
  text: textOf(minimal, basic, 'basicTable'),
  imports: `${BASE}\n${TYPE}`,
})
await write('v1/basic-table-v1.ts', {
  name: 'basic',
  version: '1.0',
  text: textOf(basicV1, basic, 'basicTable'),
  imports: `${BASE.replace('./', '../v09/')}\n${WORDS}\n${TYPE.replace('./', '../v09/')}`,
})
