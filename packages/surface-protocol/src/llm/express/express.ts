import { checkOptions } from '../../catalog/check-options.ts'
import type { InferenceFormat } from '../inference-format.ts'
import { extractBlocks, wrapBlocks } from '../blocks.ts'
import { compileProgram } from './compile-program.ts'
import { decompileExpress } from './decompile-express.ts'
import { createProgramParser } from './express-parser.ts'
import { formatExpressPrompt } from './express-prompt.ts'
import { expressLanguage } from './statement-source.ts'

/** Options of the format Express. */
export interface ExpressOptions {
  /** The form of the language. Default: express-1. */
  readonly version?: 'express-1'
  /** Reads programs as the Python SDK 0.9 does: data replace the whole model, unknown names are texts. */
  readonly compat?: 'sdk-0.9'
}

/**
 * The format Express: programs of short calls between `<a2ui>` tags, for a third of the tokens of JSON.
 * @throws TypeError for an unknown version or option
 */
export function express(options: ExpressOptions = {}): InferenceFormat {
  checkOptions('express', options, { version: true, compat: true })
  const { version = 'express-1', compat } = options
  if (version !== 'express-1') throw new TypeError('express: version must be express-1')
  if (compat !== undefined && compat !== 'sdk-0.9') {
    throw new TypeError('express: compat must be sdk-0.9')
  }
  const language = expressLanguage(compat === 'sdk-0.9')
  return {
    name: 'express',
    version,
    tag: 'a2ui',
    generatePrompt: formatExpressPrompt,
    compile: (text, settings) => compileProgram(text, settings, language),
    decompile: decompileExpress,
    wrap: (parts) => wrapBlocks(parts, 'a2ui'),
    unwrap: (text) => extractBlocks(text, { tag: 'a2ui' }),
    createParser: (settings) => createProgramParser(settings, language),
  }
}
