import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FlowServiceDoors } from '@x/flow-service'
import { createSurfaceParts } from '@x/surface-protocol/llm'
import type { Settings } from './read-settings.ts'

/**
 * Options of the interfaces for chat pages and agents.
 * @throws TypeError naming the wrong variable
 */
export function doorOptions(settings: Settings): Pick<FlowServiceDoors, 'aiSdk' | 'agUi' | 'a2a'> {
  const surfaces = createSurfaceParts()
  const isPublic = settings.SERVICE_PUBLIC_CHAT === true
  const options = {
    surfaces,
    public: isPublic,
    unreadMs: unreadMs(settings.SERVICE_CHAT_UNREAD_MS),
  }
  return {
    aiSdk: settings.SERVICE_AI_SDK_API !== false && options,
    agUi: settings.SERVICE_AG_UI_API !== false && options,
    a2a: settings.SERVICE_A2A_API !== false && { surfaces, ...a2aOptions(settings) },
  }
}

function a2aOptions({ SERVICE_A2A_ROOT_FLOW: rootFlow, SERVICE_A2A_SIGNING_KEY: file }: Settings) {
  return {
    ...(rootFlow === undefined ? {} : { rootFlow }),
    ...(file === undefined ? {} : { signingKey: readKey(file) }),
  }
}

/** The server does not start with a key that signs nothing. */
function readKey(file: string): SigningKey {
  try {
    const key = JSON.parse(readFileSync(file, 'utf8')) as SigningKey
    createPrivateKey({ key, format: 'jwk' })
    return key
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : ''
    throw new TypeError(`SERVICE_A2A_SIGNING_KEY: ${file} holds no private key as JWK: ${why}`, {
      cause,
    })
  }
}

type SigningKey = NonNullable<Exclude<FlowServiceDoors['a2a'], false | undefined>['signingKey']>

function unreadMs(given: string | undefined): number | null {
  if (given === 'never') return null
  const ms = Number(given ?? 30_000)
  if (given?.trim() !== '' && Number.isFinite(ms) && ms >= 0) return ms
  throw new TypeError('SERVICE_CHAT_UNREAD_MS must be a number of milliseconds, or never')
}
