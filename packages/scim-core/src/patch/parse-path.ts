import { InvalidFilterError, invalidPath, quoteValue } from '../base/errors.ts'
import type { PathAst } from '../filter/ast.ts'
import { parsePathAst, type FilterLimits } from '../filter/parse.ts'

/** A parsed path of a PATCH operation. */
export type PatchPath = PathAst

/** Limits of a path; `pathLength` in characters. Default 1024. */
export interface PathLimits extends FilterLimits {
  readonly pathLength?: number
}

const INDEX = /\[\s*\d*\s*\]/

/**
 * Parses the path of a PATCH operation: `attr`, `attr.sub`, `urn:attr.sub`, `attr[filter]`,
 * `attr[filter].sub` or the URN of an extension.
 * @throws ScimError invalidPath; InvalidFilterError for the filter in brackets
 */
export function parsePath(text: string, limits: PathLimits = {}): PatchPath {
  const { pathLength = 1_024 } = limits
  if (text.length > pathLength) {
    throw invalidPath(`The path is longer than ${pathLength} characters.`)
  }
  const { path, end } = parseStart(text, limits)
  if (end < text.length) throw malformed(text)
  return path
}

function parseStart(
  text: string,
  limits: FilterLimits,
): { readonly path: PathAst; readonly end: number } {
  try {
    return parsePathAst(text, limits)
  } catch (error) {
    if (error instanceof InvalidFilterError && !INDEX.test(text) && isInside(error.position, text))
      throw error
    throw malformed(text)
  }
}

/** Returns whether a position is within the brackets of a path. */
function isInside(position: number, text: string): boolean {
  return text.includes('[') && text.indexOf('[') < position && position <= text.lastIndexOf(']')
}

function malformed(text: string): Error {
  return invalidPath(`The path "${withoutLiterals(text)}" is not an attribute path.`)
}

/** A path for error details, up to where a literal could start. */
export function withoutLiterals(text: string): string {
  const end = text.search(/["[]/)
  const sub = /\](\.[\w$-]+)$/.exec(text)?.[1] ?? ''
  return quoteValue(end === -1 ? text : `${text.slice(0, end)}[...]${sub}`)
}
