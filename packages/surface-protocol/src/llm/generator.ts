import { negotiateCatalogs, negotiateVersion } from '../catalog/negotiate-versions.ts'
import { familyOf, type Version } from '../data/version.ts'
import {
  createRequestProcessor,
  type RequestProcessor,
  type RequestProcessorOptions,
} from './request-processor.ts'

/** Options of a generator: those of its processors, with the versions that the server speaks. */
export interface GeneratorOptions extends Omit<RequestProcessorOptions, 'version'> {
  /** In the server's order of preference. Default: 0.9.1. */
  readonly versions?: readonly Version[]
  /** Takes catalogs that clients bring along. Default: false. */
  readonly acceptsInlineCatalogs?: boolean
}

/** Makes processors for clients. */
export interface Generator {
  /**
   * The processor for a client with these capabilities; without them for the first version and all its catalogs.
   * @throws SurfaceError `unsupported_version`, `no_common_catalog`, `inline_catalog_refused`, `invalid_catalog`
   */
  createProcessor(capabilities?: unknown): RequestProcessor
}

/** Creates a generator, which finds for each client the version and the catalogs that both sides have. */
export function createGenerator(options: GeneratorOptions): Generator {
  const { versions = ['0.9.1'], acceptsInlineCatalogs = false, ...ofProcessor } = options
  return {
    createProcessor(capabilities) {
      const version = negotiateVersion({ supported: versions, capabilities })
      const family = familyOf(version)
      const own = ofProcessor.catalogs.filter(
        ({ protocolVersion = '0.8' }) => protocolVersion === family,
      )
      const catalogs = negotiateCatalogs({
        version,
        catalogs: own,
        capabilities,
        acceptsInlineCatalogs,
      })
      return createRequestProcessor({ ...ofProcessor, version, catalogs })
    },
  }
}
