import { readVersion } from '../data/version.ts'
import { extractBlocks, parseBlock, wrapBlocks } from './blocks.ts'
import { formatLine } from '../message/format-message.ts'
import { createMessageExtractor } from './extract-messages.ts'
import type { InferenceFormat } from './inference-format.ts'
import { formatPrompt } from './prompt.ts'

/** The format in which models write messages as JSON between `<a2ui-json>` tags. */
export function directJson(): InferenceFormat {
  return {
    name: 'direct-json',
    version: 'direct-json-1',
    tag: 'a2ui-json',
    generatePrompt: formatPrompt,
    compile(text, { surfaceId: _, limits: __, ...options }) {
      return parseBlock(text, options).messages
    },
    decompile(messages, { version }) {
      readVersion(version)
      return `[${messages.map(formatLine).join(',\n')}]`
    },
    wrap: (parts) => wrapBlocks(parts, 'a2ui-json'),
    unwrap: (text) => extractBlocks(text),
    createParser({ surfaceId: _, ...options }) {
      const extractor = createMessageExtractor(options)
      return { parseChunk: (text) => extractor.push(text), end: () => extractor.end() }
    },
  }
}
