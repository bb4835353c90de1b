import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { splitChunks } from '../processing/split-chunks.ts'
import { chunksOfEach, unescaped } from './recursive-splitter.ts'

/** Splits text at a single separator. */
export const characterTextSplitter = defineComponent({
  type: 'CharacterTextSplitter',
  displayName: 'Character Text Splitter',
  description: 'Splits text into chunks at a separator.',
  icon: 'LangChain',
  category: 'langchain_utilities',
  module: 'lfx.components.langchain_utilities.character.CharacterTextSplitterComponent',
  inputs: {
    chunk_size: field.int({
      displayName: 'Chunk Size',
      info: 'Maximum characters of a chunk; text without a separator is not split.',
      default: 1000,
    }),
    chunk_overlap: field.int({
      displayName: 'Chunk Overlap',
      info: 'Characters shared by consecutive chunks.',
      default: 200,
    }),
    data_input: field.handle({ displayName: 'Input', types: ['Data'], required: true }),
    separator: field.text({
      displayName: 'Separator',
      info: 'Separator at which text is split; \\n is a line break. Default: an empty line.',
    }),
  },
  outputs: {
    data: output.list({
      displayName: 'Data',
      method: 'transform_data',
      async run({ data_input, chunk_size: size, chunk_overlap: overlap, separator: given }, ctx) {
        const separator = given === '' ? '\n\n' : unescaped(given)
        const options = { size, overlap, separator, keep: false } as const
        const chunks = await chunksOfEach(data_input, (text, work) =>
          splitChunks(text, options, work),
        )
        ctx.status(chunks)
        return chunks
      },
    }),
  },
})
