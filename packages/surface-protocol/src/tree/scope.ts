import { formatPointer } from '../json.ts'
import { isContainer, member, valueAt, type DataMap, type DataValue } from '../data/data-value.ts'
import type { DataPath } from '../data/data-path.ts'

/** Interpretation of absolute paths inside a template. */
export type PathMode = 'compatible' | 'pointer'

/** The base of relative paths: the root of the data, or a template's entry. */
export interface Scope {
  readonly segments: readonly string[]
  /** Suffix of instance ids inside: `:` and the key for each level. */
  readonly suffix: string
  readonly pointer: string
}

/** The scope outside templates. */
export const rootScope: Scope = { segments: [], suffix: '', pointer: '' }

/** The scope of one entry of a template. */
export function entryScope(outer: Scope, location: readonly string[], key: string): Scope {
  const segments = [...location, key]
  return {
    segments,
    suffix: `${outer.suffix}:${encodeKey(key)}`,
    pointer: formatPointer(segments),
  }
}

function encodeKey(key: string): string {
  return encodeURIComponent(key.replaceAll(LONE_SURROGATE, '\ufffd'))
}

/** A lone surrogate, which has no UTF-8 encoding and makes encodeURIComponent throw. */
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** The resolved target of a path. */
export interface Located {
  readonly location: readonly string[]
  /** Undefined if nothing is there. */
  readonly value: DataValue | undefined
  /** True if an absolute path was resolved relative to the item. */
  readonly compatible: boolean
}

/** Resolves a path in a scope. */
export function locate(
  root: DataMap,
  path: DataPath,
  place: { scope: Scope; mode: PathMode },
): Located {
  const { scope, mode } = place
  const segments = isItem(path) ? [] : path.segments
  const compatible = path.absolute && readsItem(root, segments, place)
  const base = path.absolute && !compatible ? [] : scope.segments
  const location = base.length === 0 ? segments : [...base, ...segments]
  const value = valueAt(root, location)
  if (value !== undefined || mode === 'pointer' || !segments.some(isDotted)) {
    return { location, value, compatible }
  }
  return { ...followDotted(valueAt(root, base), base, segments), compatible }
}

/**
 * The locations that determine a path's target: every change of the result changes a value at, above or
 * below one of them.
 */
export function watchedLocations(
  path: DataPath,
  scope: Scope,
  mode: PathMode,
): (readonly string[])[] {
  const segments = isItem(path)
    ? []
    : mode === 'pointer'
      ? path.segments
      : beforeDots(path.segments)
  if (!path.absolute) return [[...scope.segments, ...segments]]
  if (mode === 'pointer' || scope.suffix === '') return [segments]
  return [segments, [...scope.segments, ...segments]]
}

/** Returns whether a segment may be split at dots and brackets. */
export function hasDots(path: DataPath): boolean {
  return path.segments.some(isDotted)
}

/** An empty relative path or a dot refers to the item itself. */
function isItem({ absolute, segments }: DataPath): boolean {
  return !absolute && segments.length === 1 && segments[0] === '.'
}

function readsItem(
  root: DataMap,
  [first]: readonly string[],
  { scope, mode }: { scope: Scope; mode: PathMode },
): boolean {
  if (mode === 'pointer' || scope.suffix === '' || first === undefined) return false
  return member(valueAt(root, scope.segments), first) !== undefined
}

function beforeDots(segments: readonly string[]): readonly string[] {
  const dotted = segments.findIndex(isDotted)
  return dotted === -1 ? segments : segments.slice(0, dotted)
}

function isDotted(segment: string): boolean {
  return segment.includes('.') || /\[\d+\]/.test(segment)
}

/** Follows segments, split at `.` and `[n]` if the literal key is absent. */
function followDotted(
  start: DataValue | undefined,
  base: readonly string[],
  segments: readonly string[],
): { location: string[]; value: DataValue | undefined } {
  const location = [...base]
  let value = start
  for (const segment of segments) {
    const literal = member(value, segment)
    const parts =
      literal === undefined && isContainer(value) && isDotted(segment)
        ? segment.split(/\.|\[(\d+)\]/).filter((part) => part !== undefined && part !== '')
        : [segment]
    for (const part of parts) {
      location.push(part)
      value = member(value, part)
    }
  }
  return { location, value }
}
