import { eventLoopTurn } from '@x/wire'
import { createData, type Data } from '@x/flow-engine'
import { dataText } from '@x/flow-engine/internal'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { dataRows } from '../processing/data-rows.ts'
import { SplitWork } from '../processing/split-chunks.ts'
import { splitRecursively } from './split-recursively.ts'

const SEPARATORS = ['\n\n', '\n', ' ', '']
/** Each separator requires another pass over the text. */
const MAX_SEPARATORS = 100

/** Splits text at the largest separator that makes the pieces small enough. */
export const recursiveCharacterTextSplitter = defineComponent({
  type: 'RecursiveCharacterTextSplitter',
  displayName: 'Recursive Character Text Splitter',
  description: 'Splits text into chunks, preferably at paragraphs, if necessary at words.',
  icon: 'LangChain',
  category: 'langchain_utilities',
  module:
    'lfx.components.langchain_utilities.recursive_character.RecursiveCharacterTextSplitterComponent',
  inputs: {
    chunk_size: field.int({
      displayName: 'Chunk Size',
      info: 'Maximum characters of a chunk.',
      default: 1000,
    }),
    chunk_overlap: field.int({
      displayName: 'Chunk Overlap',
      info: 'Characters shared by consecutive chunks.',
      default: 200,
    }),
    data_input: field.handle({ displayName: 'Input', types: ['Data'], required: true }),
    separators: field.text({
      displayName: 'Separators',
      info: 'Tried in this order; \\n is a line break. Default: paragraph, line, word, character.',
      list: true,
    }),
  },
  outputs: {
    data: output.list({
      displayName: 'Data',
      method: 'transform_data',
      async run({ data_input, separators, chunk_size: size, chunk_overlap: overlap }, ctx) {
        const given = separators.filter((each) => each !== '').map(unescaped)
        if (given.length > MAX_SEPARATORS) {
          throw new TypeError(
            `Separators accepts at most ${MAX_SEPARATORS} values, got ${given.length}`,
          )
        }
        const options = { size, overlap, separators: given.length === 0 ? SEPARATORS : given }
        const chunks = await chunksOfEach(data_input, (text, work) =>
          splitRecursively(text, options, work),
        )
        ctx.status(chunks)
        return chunks
      },
    }),
  },
})

/** Splits the text of each Data; the chunks keep its other values. */
export async function chunksOfEach(
  input: unknown,
  split: (text: string, work: SplitWork) => Promise<string[]>,
): Promise<Data[]> {
  const chunks: Data[] = []
  const work = new SplitWork()
  for (const row of dataRows(input, '"Input" (data_input)')) {
    const values = Object.keys(row.data).length
    for (const chunk of await split(dataText(row), work)) {
      if (work.repeat(values)) await eventLoopTurn()
      chunks.push(chunkOf(row, chunk))
    }
  }
  return chunks
}

/** Creates the Data of a chunk: the other values of its source with the chunk as text. */
function chunkOf({ data, textKey }: Data, chunk: string): Data {
  return createData({ ...data, [textKey]: chunk }, { textKey })
}

/**
 * Replaces `
 * ` and `\t` as typed in a field.
 */
export function unescaped(separator: string): string {
  return separator.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\r', '\r')
}
