import { exceedsDepth, jsonProblem } from '@x/wire'
import { findGraph } from '@x/flow-engine/internal'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { globPattern, globRoot, isGlob } from './glob.ts'
import { UsageError, type Call } from './command.ts'

/** A file with a flow. */
export interface FlowFile {
  /** From the working folder, with `/`. */
  readonly path: string
  readonly absolute: string
  readonly text: string
  readonly flow: unknown
}

const MAX_BYTES = 20 * 1024 * 1024
const MAX_DEPTH = 200
/** More files are no folder of flows. */
const MAX_FILES = 100_000
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', 'dist'])

/**
 * The flow files that arguments name, by path: files, all of a folder, and those that match a pattern.
 * @throws UsageError without any, for an absent path, and for a named file that is no flow
 */
export async function findFlows(call: Call): Promise<FlowFile[]> {
  const { paths, named } = await findPaths(call, { suffix: '.json', what: 'flow file' })
  const files: FlowFile[] = []
  for (const path of paths) {
    const file = await readFlow(call.cwd, path, named.has(path) ? 'named' : 'found')
    if (file !== undefined) files.push(file)
  }
  if (files.length === 0 && paths.length > 0 && named.size === 0)
    throw new UsageError(`no flow file in ${call.args.join(' ')}`)
  return files
}

/**
 * The paths that arguments name, in order, and which of them were named as such.
 * @throws UsageError without any, and for an absent path
 */
export async function findPaths(
  call: Pick<Call, 'args' | 'cwd'>,
  { suffix, what }: { readonly suffix: string; readonly what: string },
): Promise<{ readonly paths: readonly string[]; readonly named: ReadonlySet<string> }> {
  if (call.args.length === 0) throw new UsageError(`name at least one ${what}, folder or pattern`)
  const paths = new Set<string>()
  const named = new Set<string>()
  for (const arg of call.args) {
    const found = await stat(resolve(call.cwd, arg)).catch(() => undefined)
    if (found?.isDirectory() === true) {
      for (const path of await walk(call.cwd, arg)) if (path.endsWith(suffix)) paths.add(path)
    } else if (found !== undefined) {
      const path = display(call.cwd, arg)
      paths.add(path)
      named.add(path)
    } else if (isGlob(arg)) {
      const pattern = globPattern(display(call.cwd, arg))
      const matches = (await walk(call.cwd, globRoot(arg))).filter((path) => pattern.test(path))
      if (matches.length === 0) throw new UsageError(`no ${what} matches "${arg}"`)
      for (const path of matches) paths.add(path)
    } else throw new UsageError(`${arg} does not exist`)
  }
  return { paths: [...paths].toSorted((a, b) => (a < b ? -1 : 1)), named }
}

/**
 * Reads a flow file; undefined if a file that nobody named is no flow.
 * @throws UsageError for a file that cannot be read or is too large, and for a named one that is no flow
 */
export async function readFlow(
  cwd: string,
  path: string,
  how: 'named' | 'found' = 'named',
): Promise<FlowFile | undefined> {
  const absolute = resolve(cwd, path)
  let text: string
  try {
    const { size } = await stat(absolute)
    if (size > MAX_BYTES) throw new UsageError(`${path} is larger than 20 MB`)
    text = await readFile(absolute, 'utf8')
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${path} ${isAbsent(error) ? 'does not exist' : 'cannot be read'}`)
  }
  const flow = how === 'found' ? tryJson(text) : parseJson(path, text)
  if (isFlow(flow)) return { path: display(cwd, path), absolute, text, flow }
  if (how === 'found') return undefined
  throw new UsageError(`${path} is not a flow (it has no data.nodes)`)
}

/** @throws UsageError naming the place */
export function parseJson(path: string, given: string): unknown {
  const text = withoutMark(given)
  if (exceedsDepth(text, MAX_DEPTH))
    throw new UsageError(`${path} is nested deeper than ${MAX_DEPTH} levels`)
  const excess = jsonProblem(text)
  if (excess !== null) throw new UsageError(`${path} has ${excess}`)
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UsageError(`${path} is not JSON: ${placed(error, text)}`)
  }
}

export function isFlow(flow: unknown): boolean {
  return findGraph(flow) !== undefined
}

/** A path from the working folder, with `/`. */
export function display(cwd: string, path: string): string {
  return relative(cwd, resolve(cwd, path)).split(sep).join('/')
}

function tryJson(text: string): unknown {
  try {
    return parseJson('', text)
  } catch {
    return undefined
  }
}

const withoutMark = (text: string): string => text.replace(/^\ufeff/, '')

/** The message of the parser with line and column in the place of a position. */
function placed(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : ''
  const found = /\bposition (\d+)/.exec(message)?.[1]
  const plain = message
    .replace(/ (?:in JSON )?at position.*$/s, '')
    .replace(/,? "?(?:\.\.\.)?.* is not valid JSON$/s, '')
    .replaceAll(/\s+/g, ' ')
  const at = found === undefined ? text.length : Number(found)
  const before = text.slice(0, at).split('\n')
  const place = `(line ${before.length}, column ${(before.at(-1) ?? '').length + 1})`
  return `${plain === '' ? 'it has wrong syntax' : plain} ${place}`
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** All files below a folder. Links to folders are followed once. */
async function walk(cwd: string, start: string): Promise<string[]> {
  const found: string[] = []
  const seen = new Set<string>()
  const pending = [resolve(cwd, start)]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const real = await realpath(folder).catch(() => undefined)
    if (real === undefined || seen.has(real)) continue
    seen.add(real)
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const { name } = entry
      if (name.startsWith('.') || SKIPPED.has(name)) continue
      const path = join(folder, name)
      const isLink = entry.isSymbolicLink()
      const target = isLink ? await stat(path).catch(() => undefined) : entry
      if (target?.isDirectory() === true) pending.push(path)
      else if (target?.isFile() === true) found.push(display(cwd, path))
      if (found.length > MAX_FILES)
        throw new UsageError(`${start} has more than ${MAX_FILES} files`)
    }
  }
  return found
}
