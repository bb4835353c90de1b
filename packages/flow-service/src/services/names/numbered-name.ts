import { BRACKETS, createNameAllocator } from './name-allocator.ts'

/** A free name, see `NameAllocator.next`. */
export function numberedName(name: string, taken: Iterable<string>): string {
  return createNameAllocator(BRACKETS, taken).next(name)
}

/** The first free name of `name`, `name (1)`, `name (2)`, ... */
export function firstFreeName(name: string, taken: Iterable<string>): string {
  return createNameAllocator(BRACKETS, taken).firstFree(name)
}
