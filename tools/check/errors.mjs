// Compares each table of error codes with its page in docs/reference: every code has a heading of its
// own, and every heading that looks like a code is one.
import { readSource } from '../sources.mjs'

/** Page, source, and the expression whose first group holds the codes of the table. */
const TABLES = [
  ['scim-errors', 'packages/scim-core/src/base/errors.ts', /SCIM_ERRORS = \{([\s\S]*?)\n\}/],
  ['flow-errors', 'packages/flow-engine/src/errors.ts', /\bSTATUS = \{([\s\S]*?)\n\}/],
  [
    'flow-errors',
    'packages/flow-engine/src/graph/flow/problems.ts',
    /\bproblemOrder = \[([\s\S]*?)\n\]/,
  ],
  [
    'surface-errors',
    'packages/surface-protocol/src/diagnostics/errors.ts',
    /surfaceErrorCodes = \[([\s\S]*?)\n\]/,
  ],
  ['adapter-errors', 'packages/http-adapters/src/lib/body-error.ts', /\bSTATUS = \{([\s\S]*?)\}/],
]

const withoutComments = (text) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

/** The keys of an object, or the strings of a list. */
const codesOf = (table) => {
  const flat = withoutComments(table).replaceAll(/\{[^{}]*\}/g, '0')
  return [...flat.matchAll(/([a-z][a-z0-9_]*)'?\s*(?=[:,]|$)/g)].map(([, code]) => code)
}

/** One sentence for each code without a heading, and for each heading without a code. */
export function problemsOfErrors() {
  const problems = []
  const codes = new Map()
  for (const [page, source, pattern] of TABLES) {
    const table = pattern.exec(readSource(source))?.[1]
    if (table === undefined) problems.push(`${source}: no table of error codes found`)
    else codes.set(page, [...(codes.get(page) ?? []), ...codesOf(table)])
  }
  for (const [name, wanted] of codes) {
    const page = `docs/reference/${name}.md`
    const headings = [...readSource(page).matchAll(/^#{2,3} `?([a-z0-9_]+)`?$/gm)].map(
      ([, code]) => code,
    )
    for (const code of wanted)
      if (!headings.includes(code)) problems.push(`${page}: no heading for the code ${code}`)
    for (const code of headings)
      if (!wanted.includes(code)) problems.push(`${page}: no table holds the code ${code}`)
  }
  return problems
}
