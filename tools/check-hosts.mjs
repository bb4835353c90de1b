// Host apps as teams have them, each in a folder of its own outside of the workspace, with the packed packages and
// the real libraries: `tools/hosts/NAME` is copied, installed and tested; with `pages`, the pages of
// docs/frameworks are followed in it. `--everywhere` runs all combinations, otherwise one of each app; names run
// those apps. With HOSTS_CACHE, a folder, what was installed stays there until a package or the manifest changes.
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { followPage } from './follow-page.mjs'
import { HOSTS } from './hosts/plan.mjs'
import { packAll } from './pack.mjs'
import { root } from './sources.mjs'

// Outside of the workspace, so that nothing is found in its folders.
const { HOSTS_CACHE } = process.env
const cache = HOSTS_CACHE ?? mkdtempSync(join(tmpdir(), 'x-hosts-apps-'))
const everywhere = process.argv.includes('--everywhere')
const only = process.argv.slice(2).filter((one) => !one.startsWith('--'))
const scratch = mkdtempSync(join(tmpdir(), 'x-hosts-'))
const failed = []
try {
  const packed = new Map(
    packAll(scratch).map(({ manifest, file }) => [manifest.name, join(scratch, file)]),
  )
  for (const host of HOSTS) {
    if (only.length > 0 && !only.includes(host.app)) continue
    if (host.nightly && !everywhere) continue
    const started = performance.now()
    const { app, versions, node = [], pages = [] } = host
    const followed = pages.filter((page) => page !== app)
    const title = [app, ...Object.entries(versions ?? {}).flat(), ...node, ...followed].join(' ')
    const problem = await problemOf(install(host, packed), host)
    if (problem !== '') console.log(problem.slice(-4000))
    const seconds = (performance.now() - started) / 1000
    console.log(`${problem === '' ? 'passed' : 'FAILED'} ${title} (${seconds.toFixed(1)} s)`)
    if (problem !== '') failed.push(title)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
  if (HOSTS_CACHE === undefined) rmSync(cache, { recursive: true, force: true })
}
process.exitCode = failed.length > 0 ? 1 : 0

/** The folder of the app with everything that it depends on. */
function install({ app, versions = {} }, packed) {
  const source = join(root, 'tools/hosts', app)
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'))
  const hash = createHash('sha256')
  const use = (dependencies = {}) => {
    for (const name of Object.keys(dependencies)) {
      const file = packed.get(name)
      if (file !== undefined) hash.update(readFileSync(file))
      dependencies[name] =
        file === undefined ? (versions[name] ?? dependencies[name]) : `file:${file}`
    }
  }
  use(manifest.dependencies)
  use(manifest.devDependencies)
  // Packages of the family depend on each other by version, which no registry has.
  manifest.overrides = Object.fromEntries([...packed].map(([name, file]) => [name, `file:${file}`]))
  for (const name of Object.keys(manifest.dependencies)) delete manifest.overrides[name]
  const text = JSON.stringify(manifest, null, 2)
  hash.update(text.replaceAll(scratch, ''))
  const name = [app, ...Object.entries(versions).flat()].join('-').replaceAll('/', '+')
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`)
  if (!existsSync(join(folder, '.installed'))) {
    removeOlder(name)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), text)
    const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
    execFileSync('npm', ['install', ...options], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    execFileSync('npm', ['ls', '--all'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
    writeFileSync(join(folder, '.installed'), '')
  }
  for (const file of readdirSync(source))
    if (file !== 'package.json') cpSync(join(source, file), join(folder, file), { recursive: true })
  return folder
}

function removeOlder(name) {
  if (!existsSync(cache)) return
  for (const one of readdirSync(cache))
    if (one.replace(/-[0-9a-f]{16}$/, '') === name) rmSync(join(cache, one), { recursive: true })
}

/** What its test prints when it fails, or else nothing. */
async function problemOf(folder, { node = [], pages = [], ...page }) {
  cpSync(join(root, 'tools/hosts/journey.mjs'), join(folder, 'journey.mjs'))
  try {
    for (const name of pages) await followPage(`docs/frameworks/${name}.md`, folder, page)
  } catch (error) {
    return error.message
  }
  const env = { ...process.env, NODE_OPTIONS: node.join(' ') }
  const parameters = ['run', 'test', '--if-present', '--silent']
  const run = spawnSync('npm', parameters, { cwd: folder, env, encoding: 'utf8' })
  return run.status === 0 ? '' : `${run.stdout}${run.stderr}`
}
