import type { Catalog } from '../../catalog/catalog.ts'
import { readStatement, type ProgramReading, type StatementResult } from './read-statement.ts'

/** Problems of one program that are told. */
export const MAX_PROBLEMS = 1000

/** Reads statements of a text one after another, each from where the last one ended. */
export interface StatementSource {
  read(text: string, reading: ProgramReading): StatementResult
}

/** A language whose texts are read as statements. */
export interface ProgramLanguage {
  /** As the Python SDK reads it. */
  readonly isSdk: boolean
  /** @param isStreaming the text arrives in pieces */
  readonly source: (catalogs: readonly Catalog[], isStreaming: boolean) => StatementSource
}

/** The language Express. */
export function expressLanguage(isSdk: boolean): ProgramLanguage {
  return { isSdk, source: () => ({ read: readStatement }) }
}
