import { isObject } from '@x/wire'
import { parseJson } from '@x/wire'
import { createData, errorText } from '@x/flow-engine'
import { createDataFrame, type DataFrame } from '@x/flow-engine'
import { createMessage, type Message } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { extensionOf, fileNameOf, mimeTypeOf } from '@x/wire'
import { output } from '@x/flow-engine'
import { fileTable, isTableFile } from './file-table.ts'
import { advancedExtensions, bundleExtensions, textExtensions } from './file-formats.ts'
import { readFiles, type FileInputs, type ReadFile } from './read-files.ts'
import { refreshFileNode } from './refresh-file.ts'

const NO_ADVANCED_MODE =
  'The Advanced Parser is not supported by this service; turn it off to read the file as text'

/** Reads the text of files, or tables and JSON as data. */
export const file = defineComponent({
  type: 'File',
  displayName: 'Read File',
  description: 'Reads files as text, and tables and JSON as data.',
  icon: 'file-text',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.file.FileComponent',
  inputs: {
    storage_location: field.sortableList({
      displayName: 'Storage Location',
      placeholder: 'Select Location',
      options: [
        { name: 'Local', icon: 'hard-drive' },
        { name: 'AWS', icon: 'Amazon' },
        { name: 'Google Drive', icon: 'google' },
      ],
      limit: 1,
      advanced: true,
      newer: true,
    }),
    path: field.file({
      displayName: 'Files',
      default: [],
      list: true,
      refresh: true,
      extensions: [...textExtensions, ...advancedExtensions, ...bundleExtensions],
    }),
    file_path: field.handle({
      displayName: 'Server File Path',
      advanced: true,
      list: true,
      types: ['Data', 'Message'],
      info: 'Paths of stored files; used instead of the selected files.',
    }),
    separator: field.string({
      displayName: 'Separator',
      default: '\n\n',
      advanced: true,
      info: 'Separator between the texts of several files.',
    }),
    text_encoding: field.string({
      displayName: 'Text Encoding',
      info: 'The encoding of text files, utf-8 by default.',
      advanced: true,
      newer: true,
    }),
    silent_errors: field.bool({
      displayName: 'Silent Errors',
      advanced: true,
      info: 'Skip files that cannot be read.',
    }),
    delete_server_file_after_processing: field.bool({
      displayName: 'Delete Server File After Processing',
      default: true,
      advanced: true,
      info: 'Has no effect: stored files belong to their owner.',
    }),
    ignore_unsupported_extensions: field.bool({
      displayName: 'Ignore Unsupported Extensions',
      default: true,
      advanced: true,
    }),
    ignore_unspecified_files: field.bool({
      displayName: 'Ignore Unspecified Files',
      advanced: true,
      info: 'Skip data without a file path.',
    }),
    file_path_str: field.string({
      displayName: 'File Path',
      show: false,
      advanced: true,
      toolMode: true,
    }),
    advanced_mode: field.bool({ displayName: 'Advanced Parser', refresh: true }),
    pipeline: field.dropdown({
      displayName: 'Pipeline',
      default: 'standard',
      advanced: true,
      refresh: true,
      options: ['standard', 'vlm'],
    }),
    ocr_engine: field.dropdown({
      displayName: 'OCR Engine',
      default: 'easyocr',
      show: false,
      advanced: true,
      options: ['None', 'easyocr'],
    }),
    md_image_placeholder: field.string({
      displayName: 'Image placeholder',
      default: '<!-- image -->',
      show: false,
      advanced: true,
    }),
    md_page_break_placeholder: field.string({
      displayName: 'Page break placeholder',
      show: false,
      advanced: true,
    }),
    doc_key: field.text({ displayName: 'Doc Key', default: 'doc', show: false, advanced: true }),
    use_multithreading: field.bool({
      displayName: '[Deprecated] Use Multithreading',
      default: true,
      advanced: true,
    }),
    concurrency_multithreading: field.int({
      displayName: 'Processing Concurrency',
      default: 1,
      advanced: true,
    }),
    markdown: field.bool({ displayName: 'Markdown Export', show: false }),
  },
  outputs: {
    message: output.message({
      displayName: 'Raw Content',
      method: 'load_files_message',
      async run(inputs, ctx) {
        const message = await asMessage(inputs, ctx)
        ctx.status(message.text)
        return message
      },
    }),
    // An editor's node has one of these outputs: a table if one table file was selected, else one row per
    // file.
    dataframe: output.dataFrame({
      displayName: 'Files',
      method: 'load_files',
      dynamic: true,
      run: (inputs, ctx) => {
        const [only, ...others] = inputs.path
        const isTable = only !== undefined && others.length === 0 && isTableFile(only.path)
        return isTable && inputs.file_path.length === 0 ? asTable(inputs, ctx) : asRows(inputs, ctx)
      },
    }),
    // The output in nodes of versions 1.0 to 1.3 (NX-36).
    data: output.list({
      displayName: 'Data',
      method: 'load_files_data',
      dynamic: true,
      run: async (inputs, ctx) => (await asRows(inputs, ctx)).rows,
    }),
    structured: output.dataFrame({
      displayName: 'Structured Content',
      method: 'load_files_structured',
      dynamic: true,
      run: (inputs, ctx) => asTable(inputs, ctx),
    }),
    json: output.data({
      displayName: 'Structured Content',
      method: 'load_files_json',
      dynamic: true,
      async run(inputs, ctx) {
        const text = (await readFiles(inputs, ctx)).map((each) => each.text).join(inputs.separator)
        const value: unknown = text === '' ? {} : parse(text)
        return createData(isObject(value) ? value : { value: text })
      },
    }),
    path: output.message({
      displayName: 'File Path',
      method: 'load_files_path',
      dynamic: true,
      async run(inputs, ctx) {
        const files = await readFiles(inputs, ctx, { pathsOnly: true })
        return files.map(({ path }) => path).join('\n')
      },
    }),
    advanced_dataframe: output.dataFrame({
      displayName: 'Structured Output',
      method: 'load_files_dataframe',
      dynamic: true,
      run: refuseAdvanced,
    }),
    advanced_markdown: output.message({
      displayName: 'Markdown',
      method: 'load_files_markdown',
      dynamic: true,
      run: refuseAdvanced,
    }),
  },
  check: ({ advanced_mode: advanced }) =>
    advanced === true ? { advanced_mode: NO_ADVANCED_MODE } : {},
  prepare({ advanced_mode: advanced, storage_location: [location] }) {
    if (advanced) refuseAdvanced()
    const name = location?.name ?? ''
    if (name !== '' && name !== 'Local') {
      throw new TypeError(`Storage location '${name}' is not supported here.`)
    }
  },
  toTools: (inputs) => [
    {
      name: 'load_files_message',
      description: 'Returns the text of the selected files.',
      parameters: { type: 'object', properties: {} },
      async call(_args, ctx) {
        try {
          return await asMessage(inputs, ctx)
        } catch (error) {
          ctx.signal.throwIfAborted()
          return `Error reading files: ${errorText(error)}`
        }
      },
    },
  ],
  refresh(template, name, value, ctx) {
    if (name === 'advanced_mode' && value === true) refuseAdvanced()
    return name === 'path' ? refreshFileNode(template, value, ctx) : undefined
  },
})

function refuseAdvanced(): never {
  throw new TypeError(NO_ADVANCED_MODE)
}

interface MessageInputs extends FileInputs {
  readonly separator: string
}

/** Returns the text of all files, with name, size and type of the first. */
async function asMessage(inputs: MessageInputs, ctx: ComponentContext): Promise<Message> {
  const files = await readFiles(inputs, ctx)
  const text = files.map((each) => each.text).join(inputs.separator)
  const [first] = files
  return createMessage({
    text,
    timestamp: ctx.runtime.now(),
    ...(first === undefined ? {} : { data: factsOf(first) }),
  })
}

function factsOf({ path, bytes }: ReadFile): Record<string, unknown> {
  return { filename: fileNameOf(path), file_size: bytes.length, mimetype: mimeTypeOf(path) }
}

async function asRows(inputs: FileInputs, ctx: ComponentContext): Promise<DataFrame> {
  const files = await readFiles(inputs, ctx)
  return createDataFrame(files.map(({ path, text }) => ({ file_path: path, text })))
}

async function asTable(inputs: FileInputs, ctx: ComponentContext): Promise<DataFrame> {
  const [first] = await readFiles(inputs, ctx, { tables: true })
  if (first === undefined) return createDataFrame([])
  try {
    return await fileTable(first.path, first.bytes, ctx)
  } catch (error) {
    if (inputs.silent_errors) return createDataFrame([])
    const extension = extensionOf(first.path)
    throw new TypeError(`Error loading file ${first.path} (${extension}): ${errorText(error)}`, {
      cause: error,
    })
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
