import type { Catalog, CatalogCore } from '../catalog/catalog.ts'
import type { DataChange } from '../data/data-model.ts'
import type { Family, Version } from '../data/version.ts'
import type { SurfaceLimits } from '../diagnostics/limits.ts'
import type { Mode, Report } from '../diagnostics/report.ts'
import type { Evaluator, EvaluatorOptions } from '../functions/evaluate.ts'
import type { ComponentCheck } from '../message/v08/component-check.ts'
import type { UrlRule } from '../message/unsafe-urls.ts'
import type { ValidationResult } from '../message/validation-result.ts'
import type { Instance } from '../tree/instance.ts'
import type { PathMode } from '../tree/scope.ts'
import type { Surface, SurfaceStatus } from './surface.ts'

/** The surfaces of a store and their total cost. */
export interface StoreState {
  readonly settings: StoreSettings
  readonly surfaces: Map<string, Surface>
  readonly check: ComponentCheck
  /** Size of all surfaces that are not rendered. */
  buffered: number
  /** Size of all surfaces. */
  total: number
  /** True for messages that are taken back: no tree is built or changed. */
  readonly isTrial?: true
}

/** The changes of a message, collected while it is applied. */
export interface Change {
  readonly surface: Surface
  readonly created: boolean
  readonly statusBefore: SurfaceStatus | null
  /** The surface's cost before the message. */
  readonly costBefore: number
  /** The surface's size before the message. */
  readonly sizeBefore: number
  deleted: boolean
  componentIds: string[]
  dataPaths: string[]
  /** Null if there was no tree yet: all of its instances are new. */
  nodes: readonly Instance[] | null
  changes: readonly DataChange[]
}

/** The result of a message: a change, nothing, or a rejection. */
export type Processed = Change | 'nothing' | 'refused'

/** A store's resolved options. */
export interface StoreSettings {
  readonly protocol: Version
  readonly dialect: StoreDialect
  readonly evaluator: Evaluator | null
  readonly urls: UrlRule
  readonly mode: Mode
  readonly pathMode: PathMode
  readonly limits: Readonly<SurfaceLimits>
  readonly cores: readonly CatalogCore[]
  /** The core for a catalog id or alias; null if it is unknown. */
  findCatalog(catalogId: string | null): { readonly id: string; readonly core: CatalogCore | null }
  /** The id that an alias stands for; any other id itself. */
  readonly canonicalId: (catalogId: string) => string
}

/** A version's rules for a store. */
export interface StoreDialect {
  /** Its number: `0.9.1`. */
  readonly version: string
  readonly family: Family
  /** Default catalogs of a store. */
  readonly catalogs: readonly Catalog[]
  readonly catalogAliases: Readonly<Record<string, string>>
  /** Returns whether a store accepts a catalog. */
  accepts(core: CatalogCore): boolean
  evaluator(options: EvaluatorOptions, find: FindCatalogCore): Evaluator | null
  /** Reads and applies one message atomically. */
  readonly process: (state: StoreState, message: unknown, report: Report) => Processed
  /** A surface as plain JSON. */
  view(surface: Surface, settings: StoreSettings): object
  /** Messages that recreate the state of a surface. */
  snapshot(surface: Surface, settings: StoreSettings): object[]
  /** Validates a client message. */
  readonly validateClientMessage: (value: unknown) => ValidationResult<object>
  /** Validates a single message. */
  readonly validateMessage: (value: unknown, options: object) => ValidationResult<object>
}

/** Returns the core for a catalog id or alias; null if it is unknown. */
export type FindCatalogCore = (catalogId: string) => CatalogCore | null

/** Provided by a protocol version's subpath. */
export interface StoreParts {
  readonly store: StoreDialect
}
