import type { Node } from 'acorn'
import { isObject } from '@x/wire'
import { stripTypeScript } from './type-stripper.ts'

/** Maximum length of source code in characters: parsing a million would hold the event loop for seconds. */
const MAX_LENGTH = 64 * 1024
/**
 * Maximum sum of the squared lengths of lines, as of one line of 2,800 characters or 800 lines of 100.
 * The parser shows the whole line for each of its problems, so its work grows with this sum.
 */
const MAX_SQUARES = 8_000_000
/** Modules that component code may import, besides those added by the host. */
export const OFFERED_MODULES: readonly string[] = [
  '@x/flow-engine',
  '@x/flow-engine/components',
  '@x/flow-components',
  '@x/flow-engine/graph',
]

/** Problems of source code, found without running it. */
export interface CodeProblems {
  readonly imports: readonly string[]
  readonly syntax: readonly string[]
}

/**
 * The line that identifies source code as Python; undefined for other code. Python is detected by pattern and
 * never run.
 */
export function pythonLine(code: string): number | undefined {
  const lines = code.split('\n')
  const python =
    /^\s*(async\s+)?def\s+\w+\s*\(.*|^\s*class\s+\w+\s*(\(.*\)\s*)?:|^\s*from\s+[\w.]+\s+import\s|^\s*import\s+[\w.]+(\s+as\s+\w+)?(\s*,.*|\s*)$/
  const at = lines.findIndex((line) => python.test(line))
  return at < 0 ? undefined : at + 1
}

/** Removes types from TypeScript, preserving positions; `{ error }` if the source is not valid TypeScript. */
export async function stripTypes(
  code: string,
): Promise<{ readonly code: string } | { readonly error: string }> {
  const problem = lengthProblem(code)
  if (problem !== undefined) return { error: problem }
  try {
    return { code: await stripTypeScript(code) }
  } catch (error) {
    return { error: syntaxError(error) }
  }
}

function lengthProblem(code: string): string | undefined {
  if (code.length > MAX_LENGTH)
    return `The code is longer than ${MAX_LENGTH} characters (line 1, column 1)`
  let squares = 0
  for (const [at, { length }] of code.split('\n').entries()) {
    squares += length * length
    if (squares > MAX_SQUARES)
      return `The lines are too long to check; split them (line ${at + 1}, column 1)`
  }
  return undefined
}

/**
 * Checks the source of a component: syntax errors, and modules not available in the sandbox, in
 * order of appearance. Nothing is executed.
 */
export async function checkCodeText(
  code: string,
  offered: readonly string[],
): Promise<CodeProblems> {
  if (code.trim() === '') return { imports: [], syntax: [] }
  const stripped = await stripTypes(code)
  if ('error' in stripped) {
    const line = pythonLine(code)
    const python = `Python code is not run by this service (line ${line})`
    return { imports: [], syntax: [line === undefined ? stripped.error : python] }
  }
  const { parse } = await import('acorn')
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module', locations: true } as const
    const tree = parse(stripped.code, { ...options, allowAwaitOutsideFunction: true })
    return { imports: missingModules(tree, offered), syntax: [] }
  } catch (error) {
    return { imports: [], syntax: [acornError(error)] }
  }
}

function missingModules(tree: Node, offered: readonly string[]): string[] {
  const found = new Set<string>()
  for (const node of walk(tree)) {
    const source = sourceOf(node)
    if (source === undefined) continue
    if (typeof source === 'number') {
      found.add(`Cannot check a computed module name (line ${source})`)
    } else if (!offered.includes(source)) found.add(`Cannot find module '${source}'`)
  }
  return [...found]
}

/** The module a node imports, or the line of a computed module name; undefined for other nodes. */
function sourceOf(node: Record<string, unknown>): string | number | undefined {
  const { type, source, callee, arguments: given } = node
  const isRequire =
    isObject(callee) && callee['type'] === 'Identifier' && callee['name'] === 'require'
  if (type === 'CallExpression' && isRequire && Array.isArray(given) && given.length > 0) {
    return literal(given[0], node)
  }
  const loads = ['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration']
  if (type === 'ImportExpression') return literal(source, node)
  return loads.includes(String(type)) && isObject(source) ? literal(source, node) : undefined
}

function literal(value: unknown, { loc }: Record<string, unknown>): string | number {
  if (isObject(value) && value['type'] === 'Literal' && typeof value['value'] === 'string') {
    return value['value']
  }
  const start = isObject(loc) ? loc['start'] : undefined
  return isObject(start) ? Number(start['line']) : 1
}

/** Iterates over all nodes of a tree in source order, without recursion. */
function* walk(tree: Node): Generator<Record<string, unknown>> {
  const stack: unknown[] = [tree]
  while (stack.length > 0) {
    const next = stack.pop()
    // Pushed one by one, because spreading a long list overflows the stack.
    if (Array.isArray(next)) for (const item of next.toReversed()) stack.push(item)
    else if (isObject(next)) {
      if (typeof next['type'] === 'string') yield next
      const inner = Object.values(next).filter((value) => typeof value === 'object')
      for (const item of inner.toReversed()) stack.push(item)
    }
  }
}

function syntaxError(error: unknown): string {
  const { message, startLine, startColumn } = isObject(error) ? error : {}
  const text = typeof message === 'string' ? message : 'Syntax error'
  return `${text} (line ${Number(startLine ?? 1)}, column ${Number(startColumn ?? 0) + 1})`
}

function acornError(error: unknown): string {
  if (!(error instanceof SyntaxError)) throw error
  const place = /\((\d+):(\d+)\)$/.exec(error.message)
  const text = error.message.replace(/ \(\d+:\d+\)$/, '')
  return `${text} (line ${place?.[1] ?? 1}, column ${Number(place?.[2] ?? 0) + 1})`
}
