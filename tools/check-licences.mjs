// Lists the licences of everything that the lockfile installs, and fails for one that a closed-source
// host could not take along with the packages.
import { existsSync, readFileSync } from 'node:fs'

const root = new URL('../', import.meta.url)

/** Permissive licences, and licences of single files of data. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC-BY-4.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'PostgreSQL',
  'Python-2.0',
  'Unlicense',
  'Zlib',
])

/** Packages whose manifest names no licence, with the one that their licence file holds. */
const STATED_IN_FILE = new Map([['node_modules/spawndamnit', 'MIT']])

const lock = JSON.parse(readFileSync(new URL('package-lock.json', root), 'utf8'))
const byLicence = new Map()
const problems = []
for (const [path, { link, license }] of Object.entries(lock.packages)) {
  if (link || !path.startsWith('node_modules/')) continue
  const manifest = new URL(`${path}/package.json`, root)
  const licence = STATED_IN_FILE.get(path) ?? license ?? statedIn(manifest) ?? 'not stated'
  byLicence.set(licence, (byLicence.get(licence) ?? 0) + 1)
  if (!isAccepted(licence)) problems.push(`${path.slice('node_modules/'.length)}: ${licence}`)
}

for (const [licence, count] of [...byLicence].toSorted((a, b) => b[1] - a[1])) {
  console.log(`${String(count).padStart(4)}  ${licence}`)
}
for (const problem of problems) console.error(`Licence not accepted: ${problem}`)
process.exitCode = problems.length > 0 ? 1 : 0

/**
 * The licence stated in a manifest that the lockfile does not cover, older forms of the field
 * included.
 */
function statedIn(manifest) {
  if (!existsSync(manifest)) return undefined
  const { license, licenses } = JSON.parse(readFileSync(manifest, 'utf8'))
  if (typeof license === 'string') return license
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ')
}

/** An SPDX expression of which a user may choose an accepted part, or must take accepted ones only. */
function isAccepted(expression) {
  const parts = expression.replaceAll(/[()]/g, '').split(/ (OR|AND) /)
  const accepted = parts.filter((part) => ACCEPTED.has(part))
  return parts.includes('OR')
    ? accepted.length > 0
    : accepted.length === parts.filter((part) => part !== 'AND').length
}
