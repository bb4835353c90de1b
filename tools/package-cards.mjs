// The table of entries in the README of each package: every subpath of `exports` has a row, with the bytes
// that tools/size-budget.json allows it and the runtimes it is checked for. `npm run docs:cards`
// writes the two columns anew; what an entry is for is written by hand. `npm run check:docs` fails on drift.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesBelow, root } from './sources.mjs'

const HEADER = '| entry | contents | size | runs in |'
const NODE_IMPORT = String.raw`\b(?:from|import) ?\(?"node:`

const read = (path) => readFileSync(join(root, path), 'utf8')
const { bytes, forbidden } = JSON.parse(read('tools/size-budget.json'))
const portable = new Set(forbidden[NODE_IMPORT])

/** Manifests of the published packages, by the path of their README. */
function manifests() {
  return filesBelow('packages', (path) => /^packages\/[^/]+\/package\.json$/.test(path)).map(
    (path) => [path.replace('package.json', 'README.md'), JSON.parse(read(path))],
  )
}

/** The README with the columns of its table as the budget and the checks have them. */
function rewritten(readme, { name, exports }) {
  const text = read(readme)
  const begin = text.search(/^\| entry /m)
  if (begin === -1) return { text, problems: [`${readme}: no table of entries`] }
  const table = text.slice(begin).split('\n\n', 1)[0]
  const purposes = new Map(
    table
      .split('\n')
      .slice(2)
      .map((row) => row.split('|').map((cell) => cell.trim()))
      .map(([, entry, what]) => [entry.replaceAll('`', ''), what]),
  )
  const entries = Object.keys(exports)
    // What siblings share is for nobody else.
    .filter((key) => !['./package.json', './internal'].includes(key))
    .map((key) => name + key.slice(1))
  const problems = [
    ...entries
      .filter((entry) => !purposes.has(entry))
      .map((entry) => `${readme}: no row for ${entry}`),
    ...[...purposes.keys()]
      .filter((entry) => !entries.includes(entry))
      .map((entry) => `${readme}: ${entry} is no entry`),
  ]
  const rows = entries.map((entry) => {
    const size = sizeOf(bytes[entry] ?? 0)
    return `| \`${entry}\` | ${purposes.get(entry) ?? ''} | ${size} | ${portable.has(entry) ? 'any' : 'Node'} |`
  })
  const made = [HEADER, '| - | - | - | - |', ...rows].join('\n')
  return { text: text.replace(table, made), problems }
}

/** In kB, over 10 in steps of 5: small changes of a budget change no page. */
function sizeOf(budget) {
  const step = budget > 10_000 ? 5 : 1
  return `${Math.ceil(budget / 1000 / step) * step} kB`
}

/** Cells without the padding that the formatter gives them. */
const bare = (text) => text.replaceAll(/ *\| */g, '|').replaceAll(/\|-+/g, '|-')

/** The differences between the tables and the exports of the packages. */
export function problemsOfCards() {
  return manifests().flatMap(([readme, manifest]) => {
    const { text, problems } = rewritten(readme, manifest)
    if (problems.length > 0) return problems
    return bare(text) === bare(read(readme))
      ? []
      : [`${readme}: sizes or runtimes have changed (npm run docs:cards)`]
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const [readme, manifest] of manifests())
    writeFileSync(join(root, readme), rewritten(readme, manifest).text)
