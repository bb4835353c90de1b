// Compares tables of docs/reference that are kept by hand with the types that they describe: every member
// of a type has a row (or is named in one), and a limit has the default of the code.
import { readSource } from '../sources.mjs'

/** Page, source, and the interface or object whose members the page names in tables. */
const TABLES = [
  ['engine-limits', 'packages/flow-engine/src/graph/plan/limits.ts', 'interface RunLimits'],
  ['surface-limits', 'packages/surface-protocol/src/diagnostics/limits.ts', 'defaultLimits'],
  ['scim-events', 'packages/scim-core/src/options/events.ts', 'interface ScimEvents'],
  ['scim-options', 'packages/scim-core/src/options/options.ts', 'interface ScimOptions'],
  ['flow-api-options', 'packages/flow-service/src/options.ts', 'interface FlowEngineOptions'],
]

/** The members of an interface or object that stand at the first level. */
function membersOf(source, start) {
  const text = readSource(source)
  const begin = text.indexOf(start)
  if (begin === -1) return []
  const body = text.slice(begin, text.indexOf('\n}', begin))
  return [
    ...body.matchAll(/^ {2}(?:readonly )?'?([\w.*]+)'?\??(?:<[^>]*>)?\s*[:(]\s*([\d_]*)/gm),
  ].map(([, name, value]) => ({
    name,
    value: value === '' ? null : Number(value.replaceAll('_', '')),
  }))
}

const rowsOf = (page) =>
  readSource(`docs/reference/${page}.md`)
    .split('\n')
    .filter((line) => line.startsWith('|'))

/** The names in the first cell of a row; of an option in groups the last part too. */
const namesIn = (row) =>
  ((row.split('|')[1] ?? '').match(/[\w.*]+/g) ?? []).flatMap((name) => [
    name,
    name.split('.').at(-1),
  ])

/** One sentence for each member without a row, and for each default that differs. */
export function problemsOfTables() {
  return TABLES.flatMap(([page, source, start]) => {
    const members = membersOf(source, start)
    if (members.length === 0) return [`${source}: no ${start} found`]
    const rows = rowsOf(page)
    return members.flatMap(({ name, value }) => {
      const row = rows.find((line) => namesIn(line).includes(name))
      if (row === undefined) return [`docs/reference/${page}.md: no row for ${name}`]
      const shown = Number((row.split('|')[2] ?? '').replaceAll(/[,\s]/g, ''))
      return value !== null && !Number.isNaN(shown) && shown !== value
        ? [`docs/reference/${page}.md: ${name} is ${value}, not ${shown}`]
        : []
    })
  })
}
