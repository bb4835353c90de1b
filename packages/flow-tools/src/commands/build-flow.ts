import { type FlowLayout, errorText } from '@x/flow-engine'
import { isObject } from '@x/wire'
import { resolve } from 'node:path'
import { formatFlow } from '../code/format-flow.ts'
import { FoundError, UsageError } from '../command/command.ts'
import { parseJson, readFlow } from '../command/flow-files.ts'
import { loadModule } from '../command/load-module.ts'
import { readText } from '../command/write-files.ts'

const ENDING = /\.flow\.[cm]?[jt]s$/

/**
 * The canonical text of the flow that a source builds, with its layout if that lies beside it.
 * @param path from the working folder
 * @throws FoundError for a module that fails or exports no flow; UsageError for a layout that cannot be read
 */
export async function buildFlow(cwd: string, path: string): Promise<string> {
  const absolute = resolve(cwd, path)
  const layout = await layoutOf(layoutPath(absolute), layoutPath(path))
  const flow = await loadDraft(cwd, path)
  try {
    return formatFlow(flow.toJSON(layout === undefined ? {} : { layout }))
  } catch (error) {
    throw new FoundError(`${path}: ${errorText(error)}`)
  }
}

/** The flow that a source exports. @throws FoundError for a module that fails or exports none */
async function loadDraft(cwd: string, path: string): Promise<Draft> {
  const flow = await loadModule(resolve(cwd, path), cwd)
  if (isDraft(flow)) return flow
  throw new FoundError(`${path} must export a flow of createFlow by default`)
}

/** The flow of a file, or what a source exports. */
export async function loadFlow(cwd: string, path: string): Promise<unknown> {
  return isSource(path) ? loadDraft(cwd, path) : (await readFlow(cwd, path))?.flow
}

/** `support.flow.ts` as `support.json`. */
export function jsonPath(source: string): string {
  return source.replace(ENDING, '.json')
}

export function isSource(path: string): boolean {
  return ENDING.test(path)
}

function layoutPath(source: string): string {
  return source.replace(ENDING, '.flow.layout.json')
}

async function layoutOf(absolute: string, path: string): Promise<FlowLayout | undefined> {
  const text = await readText(absolute)
  if (text === undefined) return undefined
  const layout = parseJson(path, text)
  const version = isObject(layout) ? layout['version'] : undefined
  if (typeof version === 'number' && version > 1)
    throw new UsageError(`${path} was written by a newer x-flow`)
  if (!isObject(layout) || version !== 1) throw new UsageError(`${path}: version must be 1`)
  for (const key of ['nodes', 'edges'])
    if (layout[key] !== undefined && !isObject(layout[key]))
      throw new UsageError(`${path}: ${key} must be an object`)
  for (const key of ['notes', 'texts'])
    if (layout[key] !== undefined && !Array.isArray(layout[key]))
      throw new UsageError(`${path}: ${key} must be a list`)
  return layout as unknown as FlowLayout
}

interface Draft {
  toJSON(options: { readonly layout?: FlowLayout }): unknown
}

/** Drafts of another copy of the engine count too. */
function isDraft(value: unknown): value is Draft {
  if (typeof value !== 'object' || value === null) return false
  return ['add', 'connect', 'toJSON'].every(
    (name) => typeof Reflect.get(value, name) === 'function',
  )
}
