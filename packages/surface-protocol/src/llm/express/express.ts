import { SurfaceError, type SurfaceDiagnostic } from '../../diagnostics/errors.ts'
import { resolveLimits } from '../../diagnostics/limits.ts'
import type { JsonObject } from '../../json.ts'
import { checkOptions } from '../../catalog/check-options.ts'
import type { CompileOptions, InferenceFormat } from '../inference-format.ts'
import { extractBlocks, wrapBlocks } from '../blocks.ts'
import { errorsOf } from '../validate-parts.ts'
import { decompileExpress } from './decompile-express.ts'
import { createExpressParser } from './express-parser.ts'
import { formatExpressPrompt } from './express-prompt.ts'
import { ProgramFault } from './program-fault.ts'
import { diagnosticOfFault, placeOf, sentence } from './findings.ts'
import { ProgramCompiler, type Output } from './program-compiler.ts'
import { readStatement } from './read-statement.ts'
import { targetVersion } from './target-version.ts'

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
  const isSdk = compat === 'sdk-0.9'
  return {
    name: 'express',
    version,
    tag: 'a2ui',
    generatePrompt: formatExpressPrompt,
    compile: (text, settings) => compileExpress(text, settings, isSdk),
    decompile: decompileExpress,
    wrap: (parts) => wrapBlocks(parts, 'a2ui'),
    unwrap: (text) => extractBlocks(text, { tag: 'a2ui' }),
    createParser: (settings) => createExpressParser(settings, isSdk),
  }
}

/** The messages of a program. @throws SurfaceError with all problems */
function compileExpress(text: string, options: CompileOptions, isSdk: boolean): JsonObject[] {
  const version = targetVersion(options.version)
  const { catalogs, surfaceId = 'main' } = options
  const limits = resolveLimits(options.limits)
  const found: SurfaceDiagnostic[] = []
  const messages: JsonObject[] = []
  const compiler = new ProgramCompiler({
    version,
    catalogs,
    surfaceId,
    isStreaming: false,
    isSdk,
    maxValues: limits.dataEntries,
  })
  const placed = placesIn(text)
  const take = (outputs: readonly Output[]): void => {
    for (const output of outputs) {
      if ('fault' in output)
        found.push({ ...diagnosticOfFault(output.fault), ...placed(output.fault.at) })
      else {
        messages.push(output.message)
        const errors = errorsOf(output.message, { ...options, version, limits })
        for (const error of errors) found.push({ ...error, ...placed(placeOf(error, output)) })
      }
    }
  }
  if (text.length > limits.lineBytes) {
    const detail = `A program may have ${limits.lineBytes} characters.`
    throw new SurfaceError({ code: 'limit_exceeded', detail, limit: 'lineBytes' })
  }
  for (let from = 0; ;) {
    const read = readStatement(text, { from, final: true, close: null, depth: limits.jsonDepth })
    if (read.kind === 'end' || read.kind === 'more') break
    from = read.end
    if (read.kind === 'statement') take(compiler.add(read.statement))
    else {
      const code = read.isTooDeep ? 'limit_exceeded' : 'malformed_program'
      const fault = new ProgramFault(code, sentence(read.expected), read)
      found.push({ ...diagnosticOfFault(fault), ...placed(read.at) })
    }
  }
  const isFaulty = found.length > 0
  const rest = compiler.end()
  take(
    isFaulty ? rest.filter((one) => !('fault' in one && one.fault.code === 'missing_root')) : rest,
  )
  const [first] = found
  if (first === undefined) return messages
  throw new SurfaceError({ ...first, detail: first.message, diagnostics: found })
}

/** Lines and columns of positions, which are looked up in any order. */
function placesIn(text: string): (at: number) => { line: number; column: number } {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (at) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 }
  }
}
