import { BRACKETS, createNameBook } from './name-book.ts'

/** A free name, see `NameBook.next`. */
export function numberedName(name: string, taken: Iterable<string>): string {
  return createNameBook(BRACKETS, taken).next(name)
}

/** The first free name of `name`, `name (1)`, `name (2)`, ... */
export function firstFreeName(name: string, taken: Iterable<string>): string {
  return createNameBook(BRACKETS, taken).firstFree(name)
}
