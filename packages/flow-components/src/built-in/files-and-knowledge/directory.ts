import { type ComponentContext, errorText } from '@x/flow-engine'
import { createData, defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { extensionOf, fileNameOf } from '@x/wire'
import { textExtensions } from './file-formats.ts'
import { fileText } from './file-text.ts'

const MAX_FILES = 1_000
const MAX_BYTES = 20 * 1024 * 1024
const fields = {
  path: field.text({
    displayName: 'Path',
    info: 'A folder of your files; . for all files.',
    default: '.',
    toolMode: true,
  }),
  types: field.multiselect({
    displayName: 'File Types',
    info: 'If empty, all text files.',
    options: textExtensions,
    default: [],
  }),
  depth: field.int({
    displayName: 'Depth',
    info: 'Levels of subfolders to read; 0 for none.',
    default: 0,
  }),
  max_concurrency: field.int({
    displayName: 'Max Concurrency',
    info: 'Has no effect.',
    default: 2,
    advanced: true,
  }),
  load_hidden: field.bool({
    displayName: 'Load Hidden',
    info: 'Include files and folders whose name starts with a dot.',
    default: false,
    advanced: true,
  }),
  recursive: field.bool({
    displayName: 'Recursive',
    info: 'Read all subfolders, regardless of the depth.',
    default: false,
    advanced: true,
  }),
  silent_errors: field.bool({
    displayName: 'Silent Errors',
    info: 'Skip files that cannot be read.',
    default: false,
    advanced: true,
  }),
  use_multithreading: field.bool({
    displayName: 'Use Multithreading',
    info: 'Has no effect.',
    default: false,
    advanced: true,
  }),
}

type DirectoryInputs = Values<typeof fields>

/** Reads the files of a folder among the files accessible to the run. */
export const directory = defineComponent({
  type: 'Directory',
  displayName: 'Directory',
  description: 'Reads the files of a folder.',
  icon: 'folder',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.directory.DirectoryComponent',
  legacy: true,
  replacement: ['files_and_knowledge.File'],
  inputs: fields,
  outputs: {
    dataframe: output.dataFrame({
      displayName: 'Loaded Files',
      method: 'as_dataframe',
      run: (inputs, ctx) => readAll(inputs, ctx),
    }),
    // The output in nodes of versions 1.0 to 1.4 (NX-36).
    data: output.list({
      displayName: 'Data',
      method: 'load_directory',
      dynamic: true,
      run: async (inputs, ctx) => (await readAll(inputs, ctx)).map((row) => createData(row)),
    }),
  },
})

async function readAll(inputs: DirectoryInputs, ctx: ComponentContext) {
  const paths = await chooseFiles(inputs, ctx)
  const rows = await readTexts(paths, inputs.silent_errors, ctx)
  ctx.status(`${rows.length} files`)
  return rows
}

/** @throws TypeError for a path outside the files, and for too many files */
async function chooseFiles(inputs: DirectoryInputs, ctx: ComponentContext): Promise<string[]> {
  const folder = folderOf(inputs.path)
  const types = new Set<string>(inputs.types.length === 0 ? textExtensions : inputs.types)
  const depth = inputs.recursive ? Infinity : Math.max(0, inputs.depth)
  const chosen = (await filesBelow(folder, ctx)).filter(({ below, path }) => {
    const folders = below.split('/')
    return (
      folders.length - 1 <= depth &&
      types.has(extensionOf(path)) &&
      (inputs.load_hidden || !folders.some((name) => name.startsWith('.')))
    )
  })
  if (chosen.length > MAX_FILES) {
    throw new TypeError(
      `The folder has ${chosen.length} files; at most ${MAX_FILES} are read. Choose a subfolder or file types.`,
    )
  }
  return chosen.map(({ path }) => path).toSorted()
}

/** Normalises a folder path; "" means all files. */
function folderOf(path: string): string {
  const parts = path
    .trim()
    .split('/')
    .filter((part, at) => part !== '.' && (part !== '' || at === 0))
  const folder = parts.join('/')
  const leaves = parts.includes('..') || /[\\\0]|^[A-Za-z]:/.test(folder)
  if (leaves || path.trim().startsWith('/')) {
    throw new TypeError('Directory path escapes the allowed root.')
  }
  return folder
}

interface FoundFile {
  readonly path: string
  /** The path relative to the folder. */
  readonly below: string
}

/** Returns the files of a folder with exactly this name; if there are none, the user's files below it. */
async function filesBelow(folder: string, ctx: ComponentContext): Promise<FoundFile[]> {
  const { files } = ctx.services
  if (files === undefined) throw new TypeError('This server has no file store for flows')
  const scope = { flowId: ctx.flowId, ...(ctx.userId === undefined ? {} : { userId: ctx.userId }) }
  const start = folder === '' ? '' : `${folder}/`
  const named =
    folder === '' ? [] : (await files.list(start, scope)).filter((path) => path.startsWith(start))
  if (named.length > 0) return named.map((path) => ({ path, below: path.slice(start.length) }))
  return (await files.list('', scope)).flatMap((path) => {
    const plain = withoutOwner(path, [ctx.userId, ctx.flowId])
    return plain.startsWith(start) ? [{ path, below: plain.slice(start.length) }] : []
  })
}

/** Removes the user or flow id that prefixes a stored file's name. */
function withoutOwner(path: string, owners: readonly (string | undefined)[]): string {
  const [owner = '', ...rest] = path.split('/')
  return rest.length > 0 && owners.includes(owner) ? rest.join('/') : path
}

async function readTexts(
  paths: readonly string[],
  silent: boolean,
  ctx: ComponentContext,
): Promise<{ file_path: string; text: string }[]> {
  const scope = { flowId: ctx.flowId, ...(ctx.userId === undefined ? {} : { userId: ctx.userId }) }
  const rows: { file_path: string; text: string }[] = []
  let size = 0
  for (const path of paths) {
    ctx.signal.throwIfAborted()
    const bytes = (await ctx.services.files?.read(path, scope)) ?? null
    if (bytes === null) continue
    size += bytes.length
    if (size > MAX_BYTES) {
      throw new TypeError(
        'The files of the folder exceed 20 MB in total. Choose a subfolder or file types.',
      )
    }
    try {
      rows.push({ file_path: path, text: await fileText(path, bytes, { ctx }) })
    } catch (error) {
      ctx.signal.throwIfAborted()
      if (silent) continue
      throw new TypeError(`Error loading file ${fileNameOf(path)}: ${errorText(error)}`, {
        cause: error,
      })
    }
  }
  return rows
}
