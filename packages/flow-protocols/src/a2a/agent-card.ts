import type { AgentCard } from '@a2a-js/sdk'
import type { DoorSurfaces } from '../parts/door-surfaces.ts'
import type { DoorFlow } from '../turns/turn-host.ts'

const MODES = ['text/plain', 'application/json']
const BEARER = 'bearer'
const KEY = 'apiKey'

/** What the card offers besides. */
export interface CardOffers {
  readonly surfaces?: Pick<DoorSurfaces, 'extension'> | undefined
  readonly pushes?: boolean
}

/** The card of a flow. @param url of its endpoint */
export function agentCard(
  { id, name, description, version }: DoorFlow,
  url: string,
  { surfaces, pushes: pushNotifications = false }: CardOffers = {},
): AgentCard {
  const of = (protocolVersion: string) => ({
    url,
    protocolBinding: 'JSONRPC',
    tenant: '',
    protocolVersion,
  })
  return {
    name,
    description,
    version,
    supportedInterfaces: [of('1.0'), of('0.3')],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications, extensions: extensionsOf(surfaces) },
    securitySchemes: {
      [KEY]: {
        scheme: {
          $case: 'apiKeySecurityScheme',
          value: { description: '', location: 'header', name: 'x-api-key' },
        },
      },
      [BEARER]: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { description: '', scheme: 'Bearer', bearerFormat: '' },
        },
      },
    },
    securityRequirements: [
      { schemes: { [KEY]: { list: [] } } },
      { schemes: { [BEARER]: { list: [] } } },
    ],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [
      {
        id,
        name,
        description,
        tags: ['flow'],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
  }
}

/** The card in the form of version 0.3. */
export function legacyCard(
  { id, name, description, version }: DoorFlow,
  url: string,
  { surfaces, pushes: pushNotifications = false }: CardOffers = {},
): object {
  const extensions = extensionsOf(surfaces)
  return {
    name,
    description,
    version,
    url,
    preferredTransport: 'JSONRPC',
    protocolVersion: '0.3.0',
    capabilities: {
      streaming: true,
      pushNotifications,
      ...(extensions.length === 0 ? {} : { extensions }),
    },
    securitySchemes: {
      [KEY]: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      [BEARER]: { type: 'http', scheme: 'bearer' },
    },
    security: [{ [KEY]: [] }, { [BEARER]: [] }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [{ id, name, description, tags: ['flow'] }],
  }
}

function extensionsOf(surfaces: Pick<DoorSurfaces, 'extension'> | undefined) {
  if (surfaces === undefined) return []
  const { uri, required, params } = surfaces.extension
  return [{ uri, description: 'Surfaces of A2UI', required, params: { ...params } }]
}

/** True for clients of 0.3, which name no version or that one. */
export function isLegacy(headers: Headers): boolean {
  const version = headers.get('a2a-version') ?? ''
  return version === '' || version.startsWith('0.')
}
