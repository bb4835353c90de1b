import { append } from '@x/wire'
import { resolveLimits } from '../../diagnostics/limits.ts'
import type { SurfaceDiagnostic } from '../../diagnostics/errors.ts'
import type { ExtractedPart } from '../extracted-part.ts'
import type { FormatParserOptions } from '../inference-format.ts'
import { describeFinding } from '../model-hints.ts'
import { excerptOf } from '../repair-json.ts'
import type { Place } from '../text-place.ts'
import { errorsOf } from '../validate-parts.ts'
import { ProgramFault } from './program-fault.ts'
import { diagnosticOfFault, placeOf, sentence } from './findings.ts'
import { ProgramCompiler, type Output } from './program-compiler.ts'
import { MAX_PROBLEMS, type StatementSource } from './statement-source.ts'

const closing = /<\\?\/a2ui\s{0,20}>/iy

/** Reads a program that arrives in pieces; each message is given as soon as its statement is complete. */
export class ExpressBlock {
  readonly #options: FormatParserOptions
  readonly #limits
  readonly #start: Place
  readonly #compiler: ProgramCompiler
  readonly #source: StatementSource
  /** Positions at which lines begin. */
  readonly #lines = [0]
  /** Errors that were reported: what is sent again may have the same. */
  readonly #told = new Set<string>()
  #repairs: string[]
  #text = ''
  #from = 0
  /** The next statement is read again when the text has this length. */
  #again = 0
  #spent = 0
  #isFaulty = false
  #isOver = false

  constructor(
    options: FormatParserOptions,
    {
      start,
      repairs,
      isSdk,
      source,
    }: { start: Place; repairs: string[]; isSdk: boolean; source: StatementSource },
  ) {
    const { version, catalogs, surfaceId = 'main' } = options
    this.#options = options
    this.#limits = resolveLimits(options.limits)
    this.#start = start
    this.#source = source
    this.#repairs = repairs
    const maxValues = this.#limits.dataEntries
    this.#compiler = new ProgramCompiler({
      version,
      catalogs,
      surfaceId,
      isStreaming: true,
      isSdk,
      maxValues,
    })
  }

  /** Reads a piece; `rest` is what stands behind the block, null while it continues. */
  read(piece: string, last: boolean): { held: ExtractedPart[]; rest: string | null } {
    const begin = this.#text.length
    this.#text += piece
    for (let at = piece.indexOf('\n'); at !== -1; at = piece.indexOf('\n', at + 1)) {
      this.#lines.push(begin + at + 1)
    }
    const parts: ExtractedPart[] = []
    if (this.#isOver) return { held: parts, rest: this.#skip(last) }
    if (!last && this.#text.length < this.#again) return { held: parts, rest: null }
    for (;;) {
      const from = this.#from
      const { jsonDepth: depth, lineBytes } = this.#limits
      const read = this.#source.read(this.#text, { from, final: last, close: closing, depth })
      if (read.kind === 'more') {
        const length = this.#text.length - from
        this.#spent += length
        const isCheap = this.#spent <= 64 * this.#text.length + 65_536
        this.#again = isCheap ? 0 : from + Math.ceil(length * 1.5)
        if (this.#text.length <= lineBytes) return { held: parts, rest: null }
      }
      if (read.kind === 'more' || (this.#text.length > lineBytes && read.end > lineBytes)) {
        const detail = `A program may have ${lineBytes} characters.`
        parts.push(...this.#error(new ProgramFault('limit_exceeded', detail, { at: from })))
        this.#isOver = true
        return { held: parts, rest: this.#skip(last) }
      }
      this.#from = read.end
      if (read.kind === 'end') {
        this.#take(
          this.#isFaulty ? this.#compiler.end().filter(isNoRoot) : this.#compiler.end(),
          parts,
        )
        return { held: parts, rest: this.#text.slice(read.end) }
      }
      if (read.kind === 'statement') {
        append(this.#repairs, read.repairs)
        this.#take(this.#compiler.add(read.statement), parts)
      } else if (read.kind === 'fault') parts.push(...this.#error(read.fault))
      else {
        const code = read.isTooDeep ? 'limit_exceeded' : 'malformed_program'
        parts.push(...this.#error(new ProgramFault(code, sentence(read.expected), read)))
      }
    }
  }

  /** Passes over the rest of a program that is too long; its end, or null. */
  #skip(last: boolean): string | null {
    const found = new RegExp(closing.source, 'i').exec(this.#text.slice(this.#from))
    if (found === null) {
      this.#from = Math.max(this.#from, this.#text.length - 40)
      return last ? '' : null
    }
    return this.#text.slice(this.#from + found.index + found[0].length)
  }

  #take(outputs: readonly Output[], parts: ExtractedPart[]): void {
    for (const output of outputs) {
      if ('fault' in output) parts.push(...this.#error(output.fault))
      else {
        const { message } = output
        const options = { ...this.#options, limits: this.#limits }
        const diagnostics = errorsOf(message, options)
        const [first] = diagnostics
        if (first === undefined) {
          parts.push({ kind: 'message', message, repairs: [...new Set(this.#repairs)] })
          this.#repairs = []
        } else {
          const text = describeFinding(first, message)
          const at = placeOf(first, output)
          parts.push(...this.#part(first, { at, text, diagnostics }))
        }
      }
    }
  }

  #error(fault: ProgramFault): ExtractedPart[] {
    const found = diagnosticOfFault(fault)
    const text = `${found.message}${found.hint === undefined ? '' : ` Did you mean ${found.hint}?`}`
    return this.#part(found, { at: fault.at, text, diagnostics: [found] })
  }

  #part(
    { code }: SurfaceDiagnostic,
    { at, text, diagnostics }: { at: number; text: string; diagnostics: SurfaceDiagnostic[] },
  ): ExtractedPart[] {
    this.#isFaulty = true
    if (this.#told.size >= MAX_PROBLEMS) return []
    const place = this.#placeOf(at)
    const { line, column } = place
    const message = `Line ${line}, column ${column}: ${text}`
    if (this.#told.has(message)) return []
    this.#told.add(message)
    const raw = this.#text.slice(at, at + 200).split('\n', 1)[0] ?? ''
    const excerpt = excerptOf(this.#text, at)
    return [{ kind: 'error', code, message, raw, ...place, excerpt, diagnostics }]
  }

  #placeOf(at: number): Place {
    let [low, high] = [0, this.#lines.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#lines[middle] ?? 0) <= at) low = middle
      else high = middle
    }
    const { line, column, offset } = this.#start
    const inLine = at - (this.#lines[low] ?? 0)
    return {
      line: line + low,
      column: low === 0 ? column + inLine : inLine + 1,
      offset: offset + at,
    }
  }
}

/** Leaves out that there is no root, where a fault says more. */
function isNoRoot(output: Output): boolean {
  return !('fault' in output && output.fault.code === 'missing_root')
}
