import {
  isSurfaceError,
  withoutControls,
  type SurfaceDiagnostic,
  type SurfaceError,
} from '../diagnostics/errors.ts'
import type { ExtractedPart } from './extracted-part.ts'

/** Options of an error turn. */
export interface FormatErrorTurnOptions {
  /** Maximum characters, at least 200. Default: 2000. */
  readonly maxChars?: number
  /** Name of the tag around messages. Default: `a2ui-json`. */
  readonly tag?: string
}

/** A problem that a model is told of. */
export type ModelProblem = ExtractedPart | SurfaceDiagnostic | SurfaceError

/** Maximum characters of a problem. */
const MAX_PROBLEM = 400

/**
 * The text that tells a model what was wrong with its answer: each problem on a line, with place, code,
 * sentence and hint. Deterministic; empty without problems.
 */
export function formatErrorTurn(
  errors: Iterable<ModelProblem>,
  options: FormatErrorTurnOptions = {},
): string {
  const { maxChars = 2000, tag = 'a2ui-json' } = options
  if (!Number.isSafeInteger(maxChars) || maxChars < 200) {
    throw new TypeError('maxChars must be an integer of at least 200')
  }
  const counts = new Map<string, number>()
  for (const error of errors) {
    for (const line of linesOf(error)) {
      const clean = withoutTags(withoutControls(line), tag).slice(0, MAX_PROBLEM)
      counts.set(clean, (counts.get(clean) ?? 0) + 1)
    }
  }
  if (counts.size === 0) return ''
  const head = 'Your answer could not be used:'
  const foot = `Send the whole answer again, corrected, in ${tag} tags.`
  const all = [...counts].map(([line, count]) => `- ${line}${count > 1 ? ` (${count} times)` : ''}`)
  const more = (left: number): string[] => (left === 0 ? [] : [`and ${left} more`])
  for (let shown = all.length; shown > 0; shown -= 1) {
    const text = [head, ...all.slice(0, shown), ...more(all.length - shown), foot].join('\n')
    if (text.length <= maxChars) return text
    // The least is one shortened problem.
    if (shown === 1) break
  }
  const rest = [...more(all.length - 1), foot].join('\n')
  const room = Math.max(0, maxChars - head.length - rest.length - 2)
  return [head, (all[0] ?? '').slice(0, room), rest].join('\n').slice(0, maxChars)
}

function linesOf(error: ModelProblem): string[] {
  if (isSurfaceError(error)) {
    const { diagnostics, code, detail, path = '' } = error
    const [first] = diagnostics
    return first === undefined ? [`${code}${place(path)}: ${detail}`] : diagnostics.map(lineOf)
  }
  if (!('kind' in error)) return [lineOf(error)]
  if (error.kind !== 'error') return []
  const { code, message, line, diagnostics = [] } = error
  const at = line === undefined ? '' : `line ${line}, `
  if (diagnostics.length === 0) return [`${code}: ${shortened(message)}`]
  return diagnostics.filter(({ severity }) => severity === 'error').map((one) => at + lineOf(one))
}

function lineOf({ code, path, message, hint, componentId }: SurfaceDiagnostic): string {
  const owner = componentId === undefined ? '' : ` component ${shortened(componentId, 40)}`
  const advice = hint === undefined ? '' : ` Hint: ${shortened(hint, 120)}`
  return `${code}${owner}${place(path)}: ${message}${advice}`
}

function place(path: string): string {
  return path === '' ? '' : ` at ${shortened(path, 120)}`
}

/** Text that may hold the model's words. */
function shortened(text: string, maximum = 200): string {
  return text.length <= maximum ? text : `${text.slice(0, maximum - 3)}...`
}

/** The text must not begin or end a block when it is read. */
function withoutTags(text: string, tag: string): string {
  const names = [tag, 'a2ui'].map((name) =>
    name.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`),
  )
  return text.replaceAll(new RegExp(`<\\\\?/?(?=${names.join('|')})`, 'gi'), '(')
}
