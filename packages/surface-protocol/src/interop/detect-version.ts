import { isPlainObject, ownValue } from '../json.ts'

const KEYS_08 = ['beginRendering', 'surfaceUpdate', 'dataModelUpdate', 'userAction']
const KEYS_10 = ['callRendererFunction', 'agentFunctionResponse', 'callAgentFunction']
const KEYS_09 = ['createSurface', 'updateComponents', 'updateDataModel', 'callFunction', 'action']

/** Detects the protocol version of a message by its keys, then by `version`; null if unknown. */
export function detectVersion(message: unknown): '0.8' | '0.9' | '1.0' | null {
  if (!isPlainObject(message)) return null
  const version = ownValue(message, 'version')
  const number = typeof version === 'string' ? version.replace(/^v/, '') : null
  const named = number?.startsWith('0.9') === true ? '0.9' : number
  if (KEYS_10.some((key) => Object.hasOwn(message, key))) return '1.0'
  if (KEYS_08.some((key) => Object.hasOwn(message, key))) return '0.8'
  if (KEYS_09.some((key) => Object.hasOwn(message, key))) return named === '1.0' ? '1.0' : '0.9'
  if (named === '0.8' || named === '0.9' || named === '1.0') return named
  return Object.hasOwn(message, 'deleteSurface') ? '0.8' : null
}
