import { statSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const installed = join(root, 'node_modules/')

/**
 * Joins a TypeScript program and the sources of the workspace's packages into one JavaScript file:
 * a fraction of a second, where loading some 800 files one by one takes several. Installed packages
 * that are imported statically are joined too, unless `installedOutside`: a server that is joined
 * with them needs a third less processor time to start.
 *
 * `output` must lie as deep as the sources that read files beside them, so that their relative
 * addresses stay true. It is renamed into its place: another process may be loading it. While no file
 * that went into it has changed, it is left as it is.
 */
export async function joinSources(
  /** @type {string} */ entry,
  /** @type {string} */ output,
  { installedOutside = false } = {},
) {
  if (await isJoined(output, { installedOutside })) return
  // Loaded when needed: a start whose program is current does without.
  const esbuild = await import('esbuild')
  const { outputFiles, metafile } = await esbuild.build({
    absWorkingDir: root,
    metafile: true,
    entryPoints: [entry],
    outfile: output,
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['@x/source'],
    plugins: [someStayOutside(installedOutside)],
    // CommonJS packages call it for modules of Node.
    banner: { js: REQUIRE },
    logLevel: 'error',
  })
  await esbuild.stop()
  const program = ascii(outputFiles[0]?.text ?? '')
  const inputs = Object.keys(metafile.inputs).filter((path) => !path.startsWith('('))
  const record = {
    installedOutside,
    bytes: program.length,
    stamps: stampsOf([...inputs, ...DECIDING]),
  }
  await mkdir(dirname(output), { recursive: true })
  await replaceFile(recordOf(output), JSON.stringify(record))
  await replaceFile(output, program)
}

/** Files that decide what is joined without being joined themselves. */
const DECIDING = ['package-lock.json', 'tsconfig.base.json', 'tools/join-sources.mjs']

const recordOf = (/** @type {string} */ output) => `${output}.inputs.json`

/** Whether `output` was joined from the files as they are now, judged by their sizes and times of change. */
export async function isJoined(/** @type {string} */ output, { installedOutside = false } = {}) {
  try {
    const record = JSON.parse(await readFile(recordOf(output), 'utf8'))
    if (record.installedOutside !== installedOutside) return false
    if (statSync(output).size !== record.bytes) return false
    const now = stampsOf(Object.keys(record.stamps))
    return Object.entries(now).every(([path, stamp]) => record.stamps[path] === stamp)
  } catch {
    return false
  }
}

/** Size and time of change of each file, by its path below the root. */
function stampsOf(/** @type {readonly string[]} */ paths) {
  /** @type {Record<string, string>} */
  const stamps = {}
  for (const path of paths) {
    const { size, mtimeMs } = statSync(join(root, path))
    stamps[path] = `${size} ${mtimeMs}`
  }
  return stamps
}

/** Another process may be loading the file. */
async function replaceFile(/** @type {string} */ path, /** @type {string} */ text) {
  const draft = join(dirname(path), `${process.pid}.${basename(path)}`)
  await writeFile(draft, text)
  await rename(draft, path)
}

/**
 * Escapes what esbuild leaves as it is: comments and regular expressions. V8 keeps a program with a single
 * character beyond Latin-1 in memory at two bytes a character.
 */
function ascii(/** @type {string} */ text) {
  return text.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const REQUIRE = `import { createRequire as requireOf } from 'node:module'
const require = requireOf(import.meta.url)`

/** Its program lies beside its files; the API keeps what a program loaded with `--import` registers. */
const OUTSIDE = new Set(['esbuild', '@opentelemetry/api'])

/** @returns {import('esbuild').Plugin} */
function someStayOutside(/** @type {boolean} */ all) {
  return {
    name: 'some-stay-outside',
    setup(build) {
      build.onResolve(
        { filter: /^[^./]/ },
        async ({ path, kind, importer, resolveDir, pluginData }) => {
          if (kind === 'entry-point' || pluginData === installed) return undefined
          if (OUTSIDE.has(path)) return { path, external: true }
          const found = await build.resolve(path, {
            kind,
            importer,
            resolveDir,
            pluginData: installed,
          })
          // Packages that are imported on demand are loaded on demand.
          const mayStay = all || kind === 'dynamic-import'
          const stays = mayStay && found.path.startsWith(installed)
          return stays || found.errors.length > 0 ? { path, external: true } : found
        },
      )
    },
  }
}
