import { eventLoopTurn } from '@x/wire'
import { OutputMethodError } from '@x/flow-engine/internal'
import { toPlain } from '@x/flow-engine/internal'
import { isData, type Data, errorText } from '@x/flow-engine'
import { isDataFrame } from '@x/flow-engine'
import type { Row } from '@x/flow-engine/internal'
import { toLiteralText } from '@x/flow-engine/internal'
import { isMessage, type Message } from '@x/flow-engine'
import { messageToFields } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field, type Values } from '@x/flow-engine'
import { nameOfType } from '@x/flow-engine/internal'
import { output } from '@x/flow-engine'
import { splitChunks, SplitWork, type ChunkOptions } from './split-chunks.ts'

const fields = {
  data_inputs: field.handle({
    displayName: 'Input',
    types: ['Data', 'DataFrame', 'Message'],
    required: true,
  }),
  chunk_overlap: field.int({
    displayName: 'Chunk Overlap',
    info: 'Characters shared by consecutive chunks.',
    default: 200,
  }),
  chunk_size: field.int({
    displayName: 'Chunk Size',
    info: 'Maximum characters of a chunk; text without a separator is not split.',
    default: 1000,
  }),
  separator: field.text({
    displayName: 'Separator',
    info: 'Separator at which text is split; \\n is a line break.',
    default: '\n',
  }),
  text_key: field.text({
    displayName: 'Text Key',
    info: 'The key or column that contains the text.',
    default: 'text',
    advanced: true,
  }),
  keep_separator: field.dropdown({
    displayName: 'Keep Separator',
    options: ['False', 'True', 'Start', 'End'],
    // The reference tells this spelling apart (CO-51).
    aliases: { end: 'end' },
    default: 'False',
    advanced: true,
  }),
  clean_output: field.bool({
    displayName: 'Clean Output',
    info: 'Return only the text column.',
    default: false,
    advanced: true,
    newer: true,
  }),
}

type SplitInputs = Values<typeof fields>

/** Splits text into chunks, one row each, which keep the other values of their source. */
export const splitText = defineComponent({
  type: 'SplitText',
  displayName: 'Split Text',
  description: 'Splits text into chunks at a separator.',
  icon: 'scissors-line-dashed',
  category: 'processing',
  module: 'lfx.components.processing.split_text.SplitTextComponent',
  inputs: fields,
  outputs: {
    dataframe: output.dataFrame({
      displayName: 'Chunks',
      method: 'split_text',
      run: (inputs) => chunksOf(inputs),
    }),
    // The output in nodes of versions 1.0 to 1.4 (NX-36).
    chunks: output.list({
      displayName: 'Chunks',
      method: 'split_text',
      dynamic: true,
      run: (inputs) => chunksOf(inputs),
    }),
  },
})

async function chunksOf({
  data_inputs,
  text_key,
  clean_output,
  ...inputs
}: SplitInputs): Promise<Row[]> {
  const sources = readSources(data_inputs, text_key)
  const options: ChunkOptions = {
    size: inputs.chunk_size,
    overlap: inputs.chunk_overlap,
    separator: readSeparator(inputs.separator),
    keep: readKeep(inputs.keep_separator),
  }
  try {
    const rows: Row[] = []
    const work = new SplitWork()
    for (const { text, rest } of sources) {
      const kept = clean_output ? {} : rest
      const values = Object.keys(kept).length
      for (const chunk of await splitChunks(text, options, work)) {
        if (work.repeat(values)) await eventLoopTurn()
        rows.push({ ...kept, text: chunk })
      }
    }
    return rows
  } catch (error) {
    throw new OutputMethodError(`Error splitting text: ${errorText(error)}`, { cause: error })
  }
}

interface Source {
  readonly text: string
  readonly rest: Row
}

function readSources(given: unknown, textKey: string): Source[] {
  if (isDataFrame(given)) {
    if (given.rows.length === 0) throw new OutputMethodError('DataFrame is empty')
    if (!given.columns.includes(textKey)) {
      throw new OutputMethodError(`Text key '${textKey}' not found in DataFrame columns`)
    }
    return given.rows.map((row) => takeText(row, textKey))
  }
  if (isMessage(given)) return [messageSource(given)]
  if (isData(given)) return [takeText(given.data, textKey, given.defaultValue)]
  if (given === null || given === '' || (Array.isArray(given) && given.length === 0)) {
    throw new OutputMethodError('No data inputs provided')
  }
  const sources = (Array.isArray(given) ? given : []).flatMap((item: unknown) =>
    isMessage(item) ? [messageSource(item)] : isData(item) ? [dataSource(item)] : [],
  )
  if (sources.length === 0) {
    throw new OutputMethodError(`No valid Data inputs found in ${nameOfType(given)}`)
  }
  return sources
}

function messageSource(message: Message): Source {
  return takeText(messageToFields(message), 'text')
}

function dataSource({ data, textKey, defaultValue }: Data): Source {
  return takeText(data, textKey, defaultValue)
}

function takeText(row: Row, key: string, fallback = ''): Source {
  const { [key]: found, ...rest } = row
  const text = Object.hasOwn(row, key) ? found : fallback
  return { text: text === null || text === undefined ? '' : toLiteralText(toPlain(text)), rest }
}

/** Accepts `/n` and `/t`, common typing errors for the escapes. */
function readSeparator(separator: string): string {
  if (separator === '/n') return '\n'
  if (separator === '/t') return '\t'
  return separator.replaceAll('\\n', '\n').replaceAll('\\t', '\t')
}

/**
 * Only lower-case `end` keeps the separator at the end; all other values, even `End`, keep it at the start.
 */
function readKeep(keep: string): ChunkOptions['keep'] {
  if (keep.toLowerCase() === 'false' || keep === '') return false
  return keep === 'end' ? 'end' : 'start'
}
