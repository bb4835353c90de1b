import { extractBlocks, wrapBlocks } from '../blocks.ts'
import { compileProgram } from '../express/compile-program.ts'
import { createProgramParser } from '../express/express-parser.ts'
import type { ProgramLanguage } from '../express/statement-source.ts'
import type { InferenceFormat } from '../inference-format.ts'
import { decompileElemental } from './decompile-elemental.ts'
import { formatElementalPrompt } from './elemental-prompt.ts'
import { ElementalSource } from './elemental-source.ts'

const language: ProgramLanguage = {
  isSdk: false,
  source: (catalogs, isStreaming) => new ElementalSource(catalogs, isStreaming),
}

/**
 * The format Elemental: surfaces as elements such as `<ui-text-field id="name" label="Name" />` between `<a2ui>` tags.
 * Experimental: it may change in a minor release.
 */
export function elemental(): InferenceFormat {
  return {
    name: 'elemental',
    version: 'elemental-1',
    tag: 'a2ui',
    generatePrompt: formatElementalPrompt,
    compile: (text, options) => compileProgram(text, options, language),
    decompile: decompileElemental,
    wrap: (parts) => wrapBlocks(parts, 'a2ui'),
    unwrap: (text) => extractBlocks(text, { tag: 'a2ui' }),
    createParser: (options) => createProgramParser(options, language),
  }
}
