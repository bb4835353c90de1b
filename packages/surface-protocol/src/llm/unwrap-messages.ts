import type { Version } from '../data/version.ts'
import { familyOf, versionNumber } from '../data/version.ts'
import { isPlainObject } from '../json.ts'
import { detectVersion } from '../interop/detect-version.ts'
import { parseClean, repairJson } from './repair-json.ts'

const WRAPPERS = ['messages', 'a2ui_operations', 'a2ui', 'a2ui_messages']
/** Where calls of tools have what they are called with. */
const ARGUMENTS = ['arguments', 'args', 'input', 'parameters']
const KEYS: Readonly<Record<string, readonly string[]>> = {
  '0.9': ['createSurface', 'updateComponents', 'updateDataModel', 'deleteSurface'],
  '1.0': [
    'createSurface',
    'updateComponents',
    'updateDataModel',
    'deleteSurface',
    'callRendererFunction',
    'agentFunctionResponse',
  ],
}

/** A message with the repairs that were needed to find it. */
export interface FoundMessage {
  readonly message: unknown
  readonly repairs: string[]
}

/** The messages that a value is or holds: lists, wrappers, JSON within strings. */
export function unwrapMessages(
  value: unknown,
  { repairs, version, level = 0 }: { repairs: readonly string[]; version: Version; level?: number },
): FoundMessage[] {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    return list.flatMap((one) => unwrapMessages(one, { repairs, version, level }))
  }
  if (typeof value === 'string' && level < 2 && /^\s*[[{"]/.test(value)) {
    const read = tryRepair(value)
    const all = [...new Set([...repairs, 'encoded json', ...(read?.repairs ?? [])])]
    if (read !== null) {
      return unwrapMessages(read.value, { repairs: all, version, level: level + 1 })
    }
  }
  const wrapped = isPlainObject(value) ? wrappedIn(value) : undefined
  if (wrapped !== undefined) {
    return unwrapMessages(wrapped, { repairs: [...repairs, 'wrapper'], version, level })
  }
  const named = isPlainObject(value) ? withVersion(value, version) : null
  return named === null
    ? [{ message: value, repairs: [...repairs] }]
    : [{ message: named, repairs: [...repairs, 'version'] }]
}

function tryRepair(text: string): { value: unknown; repairs: string[] } | null {
  const clean = parseClean(text)
  if (clean !== undefined) return { value: clean, repairs: [] }
  try {
    return repairJson(text)
  } catch {
    return null
  }
}

function wrappedIn(value: Record<string, unknown>): unknown {
  if (detectVersion(value) !== null && value.version === undefined) return undefined
  const others = Object.keys(value).filter((key) => key !== 'version')
  const [key = ''] = others
  if (others.length !== 1 || !WRAPPERS.includes(key)) return besideWords(value, others)
  const wrapped = value[key]
  return typeof wrapped === 'object' || typeof wrapped === 'string'
    ? (wrapped ?? undefined)
    : undefined
}

/** The messages of an object that else holds only words: those of a chat's answer or of a tool's call. */
function besideWords(value: Record<string, unknown>, keys: readonly string[]): unknown {
  const held = keys.filter((key) => typeof value[key] === 'object' && value[key] !== null)
  const [key = ''] = held
  const inner = value[key]
  if (held.length !== 1 || keys.some((one) => one !== key && typeof value[one] !== 'string')) {
    return undefined
  }
  const isCall = ARGUMENTS.includes(key)
  if (Array.isArray(inner)) return isCall || WRAPPERS.includes(key) ? inner : undefined
  return isCall && isPlainObject(inner) ? wrappedIn(inner) : undefined
}

/** The message with its version, if that is absent or lacks its letter; null if there is nothing to do. */
function withVersion(
  value: Record<string, unknown>,
  version: Version,
): Record<string, unknown> | null {
  const family = familyOf(version)
  const keys = Object.keys(value).filter((key) => key !== 'version')
  if (family === '0.8' || !keys.some((key) => KEYS[family]?.includes(key) === true)) return null
  const given = value.version
  if (given === undefined) {
    return { version: `v${versionNumber(version)}`, ...value }
  }
  const text = typeof given === 'number' ? given.toFixed(1) : given
  const known = family === '0.9' ? ['0.9', '0.9.1'] : ['1.0']
  if (typeof text !== 'string' || !known.includes(text)) return null
  return { ...value, version: `v${text}` }
}
