import { isScimConfigError } from '@x/scim-core'
import { SettingsError } from './read-settings.ts'

/** True if the operator can fix a failed start: a setting, an address or a file. */
export function isRefusal(error: unknown): error is Error {
  const isSetting = error instanceof SettingsError || error instanceof TypeError
  return isSetting || isScimConfigError(error) || (error instanceof Error && 'syscall' in error)
}
