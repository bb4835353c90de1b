import type { ComponentContext } from '@x/flow-engine'
import { chosenInEditor, showFieldsOf } from '../processing/chosen-operation.ts'
import { updateFile } from './update-file.ts'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { nameOfType } from '@x/flow-engine/internal'
import { output } from '@x/flow-engine'
import { storageRefusal, type RemoteSettings } from './storage-refusal.ts'
import { formerSaveFields, presentSaveInputs } from './former-save-fields.ts'
import {
  appendedContents,
  fileContents,
  formatFor,
  savable,
  withExtension,
  type SavableValue,
} from './file-contents.ts'

const hidden = { show: false } as const
const hiddenAdvanced = { show: false, advanced: true } as const

/** Saves a value as a file in the host's file store. */
export const saveToFile = defineComponent({
  type: 'SaveToFile',
  displayName: 'Write File',
  description: 'Saves a message, data or table as a file.',
  icon: 'file-text',
  category: 'files_and_knowledge',
  module: 'lfx.components.files_and_knowledge.save_file.SaveToFileComponent',
  idempotent: false,
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
      refresh: true,
    }),
    input: field.handle({
      displayName: 'File Content',
      types: ['Data', 'DataFrame', 'Message'],
      required: true,
      fallback: true,
      dynamic: true,
    }),
    file_name: field.string({
      displayName: 'File Name',
      info: 'Relative to the flow; the extension follows from the format.',
      required: true,
      fallback: true,
      toolMode: true,
      ...hidden,
    }),
    append_mode: field.bool({
      displayName: 'Append',
      info: 'Append to the existing file (not for Excel).',
      default: false,
      ...hidden,
    }),
    local_format: field.dropdown({
      displayName: 'File Format',
      options: ['csv', 'excel', 'json', 'markdown', 'txt'],
      default: 'json',
      ...hidden,
    }),
    aws_format: field.dropdown({
      displayName: 'File Format',
      options: [
        'txt',
        'json',
        'csv',
        'xml',
        'html',
        'md',
        'yaml',
        'log',
        'tsv',
        'jsonl',
        'parquet',
        'xlsx',
        'zip',
      ],
      default: 'txt',
      ...hidden,
    }),
    gdrive_format: field.dropdown({
      displayName: 'File Format',
      options: ['txt', 'json', 'csv', 'xlsx', 'slides', 'docs', 'jpg', 'mp3'],
      default: 'txt',
      ...hidden,
    }),
    file_format: field.string({
      displayName: 'File Format (Tool)',
      info: 'Used instead of the format selected above.',
      show: false,
      toolMode: true,
      newer: true,
    }),
    ...formerSaveFields,
    aws_access_key_id: field.secret({ displayName: 'AWS Access Key ID', ...hiddenAdvanced }),
    aws_secret_access_key: field.secret({ displayName: 'AWS Secret Key', ...hiddenAdvanced }),
    bucket_name: field.string({ displayName: 'S3 Bucket Name', ...hiddenAdvanced }),
    aws_region: field.string({ displayName: 'AWS Region', ...hiddenAdvanced }),
    s3_prefix: field.string({ displayName: 'S3 Prefix', ...hiddenAdvanced }),
    service_account_key: field.secret({
      displayName: 'GCP Credentials Secret Key',
      ...hiddenAdvanced,
    }),
    folder_id: field.string({
      displayName: 'Google Drive Folder ID',
      required: true,
      ...hiddenAdvanced,
    }),
  },
  outputs: {
    message: output.message({
      displayName: 'File Path',
      method: 'save_to_file',
      async run(inputs, ctx) {
        const text = await save(presentSaveInputs(inputs, ctx), ctx)
        ctx.status(text)
        return text
      },
    }),
    // The output in nodes of versions 1.1 to 1.3 (NX-36).
    confirmation: output.message({
      displayName: 'Confirmation',
      method: 'save_to_file',
      dynamic: true,
      run: (inputs, ctx) => save(presentSaveInputs(inputs, ctx), ctx),
    }),
  },
  refresh(template, name, value) {
    if (name === 'storage_location') showFieldsOf(template, chosenInEditor(value), FIELDS)
  },
})

interface SaveInputs extends RemoteSettings {
  readonly input: unknown
  readonly storage_location: readonly { readonly name: string }[]
  readonly file_name: string
  readonly append_mode: boolean
  readonly local_format: string
  readonly file_format: string
}

async function save(inputs: SaveInputs, ctx: ComponentContext): Promise<string> {
  if (inputs.file_name === '') throw new TypeError('File name must be provided.')
  if (inputs.input === null || inputs.input === '') {
    throw new TypeError(`Component ${ctx.displayName} is missing the required input File Content`)
  }
  const value = savable(inputs.input)
  const location = inputs.storage_location[0]?.name ?? ''
  if (location === '') throw new TypeError('Storage location must be selected.')
  if (location !== 'Local') throw new TypeError(storageRefusal(location, inputs))
  return saveLocally(value, inputs, ctx)
}

async function saveLocally(
  value: SavableValue,
  { file_name, append_mode, local_format, file_format }: SaveInputs,
  { services: { files }, flowId, userId }: ComponentContext,
): Promise<string> {
  if (files === undefined)
    throw new TypeError('Write File needs a file store, and this server has none')
  const format = formatFor(value, file_format || local_format)
  const path = withExtension(relativePath(file_name), format)
  const scope = userId === undefined ? { flowId } : { flowId, userId }
  if (!append_mode || format === 'excel') {
    const saved = await files.write(path, await fileContents(value, format), scope)
    return `${nameOfType(value)} saved successfully as '${path}' at ${saved}`
  }
  let isNew = true
  const saved = await updateFile(files, path, scope, async (before) => {
    isNew = before === null
    return before === null ? fileContents(value, format) : appendedContents(value, format, before)
  })
  return isNew
    ? `${nameOfType(value)} saved successfully as '${path}' at ${saved}`
    : `${nameOfType(value)} appended to '${path}' at ${saved}`
}

/** Files stay in the folder that the file store assigns to the flow. */
function relativePath(name: string): string {
  const parts = name.split(/[/\\]/)
  // oxlint-disable-next-line no-control-regex -- rejects control characters
  const isForeign = /^([/\\~]|[A-Za-z]:)/.test(name) || /[\u0000-\u001F]/.test(name)
  if (isForeign || parts.includes('..') || parts.at(-1)?.trim() === '') {
    throw new TypeError(`File name must be a relative path without "..": ${name}`)
  }
  return parts.filter((part) => part !== '' && part !== '.').join('/')
}

/** The fields used by each location. */
const FIELDS = new Map([
  ['Local', ['file_name', 'append_mode', 'local_format']],
  [
    'AWS',
    [
      'file_name',
      'aws_format',
      'aws_access_key_id',
      'aws_secret_access_key',
      'bucket_name',
      'aws_region',
      's3_prefix',
    ],
  ],
  ['Google Drive', ['file_name', 'gdrive_format', 'service_account_key', 'folder_id']],
])
