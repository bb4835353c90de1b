import { isSourceHandle, type Handle, type SourceHandle } from './handles.ts'

/** Aliases of edge types. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['JSON', 'Data'],
  ['Table', 'DataFrame'],
  ['Text', 'Message'],
  ['str', 'Message'],
])

/** True if an output can be connected to a field, judging by the types of both handles. */
export function handlesFit(source: SourceHandle, target: Handle): boolean {
  const given = source.output_types.map(canonical)
  if (isSourceHandle(target)) return given.length > 0
  const type = canonical(target.type)
  const { inputTypes } = target
  if (inputTypes === undefined || inputTypes === null) return given.includes(type)
  return inputTypes.map(canonical).includes(type) || typesMeet(source.output_types, inputTypes)
}

/** True if at least one offered type is accepted. */
export function typesMeet(given: readonly string[], taken: readonly string[]): boolean {
  const names = new Set(taken.map(canonical))
  return given.some((type) => names.has(canonical(type)))
}

function canonical(type: string): string {
  return ALIASES.get(type) ?? type
}
