import { SurfaceError, type SurfaceDiagnostic } from '../../diagnostics/errors.ts'
import { resolveLimits } from '../../diagnostics/limits.ts'
import type { JsonObject } from '../../json.ts'
import type { CompileOptions } from '../inference-format.ts'
import { errorsOf } from '../validate-parts.ts'
import { ProgramFault } from './program-fault.ts'
import { diagnosticOfFault, placeOf, sentence } from './findings.ts'
import { ProgramCompiler, type Output } from './program-compiler.ts'
import { MAX_PROBLEMS, type ProgramLanguage } from './statement-source.ts'
import { targetVersion } from './target-version.ts'

/** The messages of a program. @throws SurfaceError with all problems, at most 1,000 */
export function compileProgram(
  text: string,
  options: CompileOptions,
  { isSdk, source }: ProgramLanguage,
): JsonObject[] {
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
  const statements = source(catalogs, false)
  for (let from = 0; ;) {
    const read = statements.read(text, { from, final: true, close: null, depth: limits.jsonDepth })
    if (read.kind === 'end' || read.kind === 'more' || found.length >= MAX_PROBLEMS) break
    from = read.end
    if (read.kind === 'statement') take(compiler.add(read.statement))
    else if (read.kind === 'fault') take([read])
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
