// Fails when a dependency that ships (or that builds and tests run) has a known advisory of high or
// critical severity. Prints a note, and passes, where the registry does not answer: an outage there
// must not stop a build here.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { stdout } = spawnSync('npm', ['audit', '--json', '--audit-level=high'], {
  cwd: root,
  encoding: 'utf8',
  timeout: 60_000,
})

const report = readReport(stdout)
if (report === null) {
  console.log('Advisories were not checked: the registry did not answer.')
} else {
  const serious = Object.values(report).filter(({ severity }) =>
    ['high', 'critical'].includes(severity),
  )
  for (const { name, severity, range, via } of serious) {
    const titles = via.map((one) => (typeof one === 'string' ? `through ${one}` : one.title))
    console.error(`${name} ${range}: ${severity}: ${titles.join('; ')}`)
  }
  console.log(`${Object.keys(report).length} advisories, ${serious.length} high or critical`)
  process.exitCode = serious.length > 0 ? 1 : 0
}

/** The advisories by package; null when the answer is an error or not JSON. */
function readReport(text) {
  try {
    return JSON.parse(text).vulnerabilities ?? null
  } catch {
    return null
  }
}
