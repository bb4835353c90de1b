import {
  implementing,
  isObject,
  kindOf,
  nearName,
  options,
  OptionError,
  type OptionKind,
} from '@x/wire'
import { defaultRunLimits } from './limits.ts'

/** Services that components of the product read; hosts add others for components of their own. */
const SERVICES = [
  'messages',
  'variables',
  'environment',
  'models',
  'files',
  'fetch',
  'crawlBytes',
  'knowledge',
  'memories',
  'finance',
  'sql',
  'vectors',
  'jsonQueries',
  'documentReader',
  'flows',
  'mcp',
  'codeRunner',
  'workOwner',
]

/** Only a name that is nearly a known one is refused: others may be for components of the host. */
export const servicesOption: OptionKind = {
  read(value, { called, path, page }) {
    for (const name of Object.keys(Object(value) as object)) {
      const near = SERVICES.includes(name) ? undefined : nearName(name, SERVICES)
      if (near === undefined) continue
      const message = `${called}: unknown option "${path}.${name}". Did you mean "${path}.${near}"?`
      throw new OptionError(`${path}.${name}`, message, page)
    }
    return value
  },
}

const aRegistry = implementing('registry', 'get', 'resolve')

/** A list of components is what most hosts have at hand. */
export const registryOption: OptionKind = {
  read(value, place) {
    if (!Array.isArray(value)) return aRegistry.read(value, place)
    const { called, path, page } = place
    const message = `${called}: option "${path}" must be a registry, got an array; write createRegistry(${path})`
    throw new OptionError(path, message, page)
  },
}

const limit = kindOf(
  'a number of at least 0, Infinity or null',
  (value) => value === null || (typeof value === 'number' && value >= 0),
)

/** Limits of runs. What was read stays the same object, as the runs of a service share theirs. */
const limits = options(
  Object.fromEntries(Object.keys(defaultRunLimits).map((name) => [name, limit])),
)
export const limitsOption: OptionKind = {
  ...limits,
  read(value, place) {
    if (!Object.isFrozen(value)) limits.read(value, place)
    return value
  },
}

export const modelsOption = kindOf(
  'a ChatModel or { chatModel, embedder }',
  (value) =>
    isObject(value) &&
    (typeof value['stream'] === 'function' || typeof value['chatModel'] === 'function'),
)
