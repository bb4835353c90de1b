import { standardCatalogV08 } from '../catalog/standard.ts'
import { aliasesV09 } from '../catalog/v09/basic-catalog-ids.ts'
import { basicCatalogV09, minimalCatalogV09 } from '../catalog/v09/basic-catalog.ts'
import { protocolParts, type Version } from '../data/version.ts'
import { Evaluator } from '../functions/evaluate.ts'
import { validateClientMessageV08 } from '../message/v08/client-message.ts'
import { validateClientMessageV09 } from '../message/v09/client-message-v09.ts'
import { validateMessageV09 } from '../message/v09/validate-message-v09.ts'
import { validateMessage } from '../message/validate-message.ts'
import { processMessageV09 } from './process-v09.ts'
import { processMessage } from './process.ts'
import { snapshotOf } from './snapshot.ts'
import { viewOf } from './surface.ts'
import { snapshotOfV09, viewOfV09 } from './view-v09.ts'
import type { StoreDialect, StoreParts } from './state.ts'

const v08: StoreDialect = {
  version: '0.8',
  family: '0.8',
  catalogs: [standardCatalogV08],
  catalogAliases: {},
  accepts: ({ v09 }) => v09 === undefined,
  evaluator: () => null,
  process: processMessage,
  view: viewOf,
  snapshot: (surface, { limits }) => snapshotOf(surface, limits),
  validateClientMessage: validateClientMessageV08,
  validateMessage: (value, options) => validateMessage(value, options),
}

function dialectV09(version: '0.9' | '0.9.1'): StoreDialect {
  return {
    version,
    family: '0.9',
    catalogs: [basicCatalogV09, minimalCatalogV09],
    catalogAliases: aliasesV09,
    accepts: ({ v09 }) => v09?.protocolVersion === '0.9',
    evaluator: (options) => new Evaluator(options),
    process: processMessageV09,
    view: (surface, settings) => viewOfV09(surface, version, settings),
    snapshot: (surface, { limits }) => snapshotOfV09(surface, version, limits),
    validateClientMessage: validateClientMessageV09,
    validateMessage: validateMessageV09,
  }
}

const dialectsByVersion = { '0.8': v08, '0.9': dialectV09('0.9'), '0.9.1': dialectV09('0.9.1') }

/** The store dialect of a version. */
export function storeDialectOf(version: Version): StoreDialect {
  if (typeof version === 'string') return dialectsByVersion[version]
  return (protocolParts(version) as StoreParts).store
}
