import { createInflateBudget, type InflateBudget } from '../../archive/inflate-budget.ts'
import { isFlowError, errorText } from '@x/flow-engine'
import { isData } from '@x/flow-engine'
import { isMessage } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { fileNotFound } from '@x/flow-engine/internal'
import { extensionOf, fileNameOf } from '@x/wire'
import type { FileReference } from '@x/flow-engine'
import { classify } from './file-formats.ts'
import { isTableFile } from './file-table.ts'
import { fileText } from './file-text.ts'
import { notRead, notText } from './not-text.ts'
import { unpack } from './unpack.ts'

export interface FileInputs {
  readonly path: readonly FileReference[]
  readonly file_path: readonly unknown[]
  readonly file_path_str: string
  readonly silent_errors: boolean
  readonly ignore_unsupported_extensions: boolean
  readonly ignore_unspecified_files: boolean
  /** The encoding; "" means utf-8. */
  readonly text_encoding: string
}

/** A file with its contents; `text` is "" if only tables or paths are needed. */
export interface ReadFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly text: string
}

export interface ReadFilesOptions {
  /** True if tables are needed: the text of table files is not read, and Excel files are accepted. */
  readonly tables?: boolean
  readonly pathsOnly?: boolean
}

/**
 * Reads the files of the component, including those in archives, with their text.
 * @throws TypeError with the editor's messages, unless errors are silent
 */
export async function readFiles(
  inputs: FileInputs,
  ctx: ComponentContext,
  options: ReadFilesOptions = {},
): Promise<ReadFile[]> {
  const chosen = chooseFiles(inputs, ctx)
  if (chosen.length === 0) {
    if (inputs.silent_errors) return []
    throw new TypeError(
      `Component ${ctx.displayName} has no file: choose one in the node or give it with a tweak (path)`,
    )
  }
  const read: ReadFile[] = []
  const leftOut: string[] = []
  let supported = 0
  for (const reference of chosen) {
    try {
      const files = await openFile(reference, inputs, options)
      supported += files.length
      if (files.length === 0) leftOut.push(reference.path)
      for (const { budget, ...each } of files) {
        const reading = { ctx, budget, encoding: inputs.text_encoding }
        read.push(await withText(each, reading, options))
      }
    } catch (error) {
      ctx.signal.throwIfAborted()
      if (!inputs.silent_errors) throw error
      supported += 1
    }
  }
  return supported === 0 ? nothing(inputs, leftOut) : read
}

function nothing({ silent_errors: silent }: FileInputs, leftOut: readonly string[] = []): [] {
  if (silent) return []
  const reasons = leftOut.map(notRead)
  throw new TypeError(['No files to process.', ...reasons].join(' '))
}

interface OpenedFile extends Omit<ReadFile, 'text'> {
  /** One per selected file; the files of an archive share the archive's budget. */
  readonly budget: InflateBudget
}

/** Returns the file itself, the files of an archive, or nothing if it is to be ignored. */
async function openFile(
  reference: FileReference,
  inputs: FileInputs,
  options: ReadFilesOptions,
): Promise<OpenedFile[]> {
  const { path } = reference
  switch (supportOf(path, inputs, options)) {
    case 'skip':
      return []
    case 'bundle': {
      const packed = await bytesOf(reference)
      const budget = createInflateBudget(packed.length)
      const entries = await unpack(path, packed, budget)
      return entries
        .filter(({ name }) => supportOf(name, inputs, options) === 'read')
        .map(({ name, bytes }) => ({ path: `${path}/${name}`, bytes, budget }))
    }
    default: {
      const bytes = options.pathsOnly === true ? new Uint8Array(0) : await bytesOf(reference)
      return [{ path, bytes, budget: createInflateBudget(bytes.length) }]
    }
  }
}

/** @throws TypeError for a file that is neither supported nor ignored */
function supportOf(
  path: string,
  inputs: FileInputs,
  { tables = false, pathsOnly = false }: ReadFilesOptions,
): 'read' | 'bundle' | 'skip' {
  if (pathsOnly || (tables && isTableFile(path))) return 'read'
  switch (classify(path)) {
    case 'text':
      return 'read'
    case 'bundle':
      return 'bundle'
    case 'advanced':
      throw notText(path)
    default:
      if (inputs.ignore_unsupported_extensions) return 'skip'
      throw new TypeError(`Unsupported file extension: .${extensionOf(path)}`)
  }
}

async function bytesOf(reference: FileReference): Promise<Uint8Array> {
  try {
    return await reference.read()
  } catch (error) {
    if (!isFlowError(error) || error.code !== 'not_found') throw error
    throw fileNotFound(reference.path, error)
  }
}

async function withText(
  opened: Omit<ReadFile, 'text'>,
  reading: Parameters<typeof fileText>[2],
  options: ReadFilesOptions,
): Promise<ReadFile> {
  if (options.tables === true || options.pathsOnly === true) return { ...opened, text: '' }
  try {
    return { ...opened, text: await fileText(opened.path, opened.bytes, reading) }
  } catch (error) {
    reading.ctx.signal.throwIfAborted()
    throw new TypeError(`Error loading file ${opened.path}: ${errorText(error)}`, { cause: error })
  }
}

/** Paths from an edge or a model replace the files selected in the editor. */
function chooseFiles(inputs: FileInputs, ctx: ComponentContext): FileReference[] {
  const given = inputs.file_path.flatMap((value) => pathIn(value, inputs))
  const paths = given.length > 0 ? given : inputs.file_path_str === '' ? [] : [inputs.file_path_str]
  return paths.length === 0 ? [...inputs.path] : paths.map((path) => stored(path, ctx))
}

function pathIn(value: unknown, { ignore_unspecified_files: ignores }: FileInputs): string[] {
  if (isMessage(value)) return typeof value.text === 'string' ? [value.text.trim()] : []
  const path = isData(value) && Object.hasOwn(value.data, 'file_path') ? value.data.file_path : null
  if (typeof path === 'string') return [path]
  if (ignores) return []
  throw new TypeError("The data for 'Server File Path' has no key file_path")
}

function stored(path: string, { services, flowId, userId }: ComponentContext): FileReference {
  return {
    path,
    name: fileNameOf(path),
    async read() {
      const scope = { flowId, ...(userId === undefined ? {} : { userId }) }
      const bytes = (await services.files?.read(path, scope)) ?? null
      if (bytes !== null) return bytes
      throw fileNotFound(path)
    },
  }
}
