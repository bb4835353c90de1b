import { defaultSettings, type FlowSettings } from '@x/flow-service'
import { SettingsError, type Settings } from './read-settings.ts'

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1|\[::1\])$/

/** True if only this machine can reach an address. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/**
 * The settings of the flow service: every `SERVICE_` variable with a corresponding setting.
 * @throws SettingsError for unsafe combinations
 */
export function toFlowSettings(settings: Settings, publicUrl: string): Partial<FlowSettings> {
  const local = isLoopback(settings.HOST ?? '')
  const remoteLogin = settings.SERVICE_AUTO_LOGIN_ALLOW_REMOTE === true
  if (settings.SERVICE_AUTO_LOGIN === true && !local && !remoteLogin)
    throw new SettingsError(
      'SERVICE_AUTO_LOGIN works on a loopback address only (SERVICE_AUTO_LOGIN_ALLOW_REMOTE=true allows others)',
    )
  const named = Object.entries(settings).flatMap(([name, value]) => {
    const key = camelCase(name.replace(/^SERVICE_/, ''))
    return name.startsWith('SERVICE_') && key in defaultSettings && value !== undefined
      ? [[key, value]]
      : []
  })
  const { SERVICE_RESUMABLE_BUILDS: resumable = 'auto' } = settings
  return {
    ...(Object.fromEntries(named) as Partial<FlowSettings>),
    resumableBuilds: resumable === 'auto' ? null : resumable === 'true',
    publicUrl,
  }
}

const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * The base of absolute URLs, without a trailing slash.
 * @throws SettingsError if it is not an http or https URL
 */
export function readPublicUrl(given: string | undefined): string | undefined {
  if (given === undefined) return undefined
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given))
    throw new SettingsError('SERVICE_PUBLIC_URL must begin with http:// or https://')
  return given.replace(/\/+$/, '')
}
