import { isLoopback, readPublicUrl, toFlowSettings } from './flow-settings.ts'
import { switches, type Environment, type Opening } from './opening-switches.ts'
import type { Settings } from './read-settings.ts'
import { wrapText } from './wrap-text.ts'
import { readTrustProxy } from './trust-proxy.ts'

/**
 * Lists what these settings expose: the listen address, options without their safe value, cookies without
 * TLS, and what anonymous clients may do by default.
 * @throws SettingsError, TypeError for settings that would prevent the start
 */
export function openingsOf(settings: Settings, environment: Environment): Opening[] {
  const host = settings.HOST ?? '127.0.0.1'
  const publicUrl = readPublicUrl(settings.SERVICE_PUBLIC_URL) ?? `http://${host}`
  toFlowSettings(settings, publicUrl)
  readTrustProxy(settings.SERVICE_TRUST_PROXY ?? [])
  return [
    ...addressOpenings(host),
    ...cookieOpenings(settings, { host, publicUrl }),
    ...switches.filter(({ isOpen }) => isOpen(settings, environment)),
    ...commandOpenings(settings),
    ...lanes(settings),
  ].map(({ name, opens }) => ({ name, opens }))
}

/** The output of `--check`. */
export function openingsText(
  openings: readonly Opening[],
  warnings: readonly string[],
  columns = Number.POSITIVE_INFINITY,
): string {
  const width = openings.reduce((most, { name }) => Math.max(most, name.length), 0)
  return [
    ...warnings.map((warning) => `Warning: ${warning}`),
    `Exposed by these settings (${openings.length}):`,
    ...openings.map(
      ({ name, opens }) => `  ${name.padEnd(width)}  ${wrapText(opens, width + 4, columns)}`,
    ),
  ].join('\n')
}

/** Every variable that can open something, and what it opens. */
export const openingVariables: readonly Opening[] = [
  {
    name: 'HOST',
    opens: 'everyone who can reach the address can reach the server; put it behind TLS',
  },
  { name: 'SERVICE_ACCESS_SECURE', opens: 'the cookie is also sent without TLS' },
  { name: 'SERVICE_REFRESH_SECURE', opens: 'the cookie is also sent without TLS' },
  {
    name: 'SERVICE_MCP_STDIO',
    opens:
      'flows of superusers can start the commands of SERVICE_MCP_STDIO_COMMANDS on this machine',
  },
  ...switches.map(({ name, opens }) => ({ name, opens })),
]

/** The last part of `--help`: what each of these variables opens. */
export function openingsHelp(width = 80): string {
  return [
    'What these variables open, and to whom (--check lists what yours do):',
    ...openingVariables.map(({ name, opens }) => `  ${name}\n      ${wrapText(opens, 6, width)}`),
    '',
  ].join('\n')
}

function addressOpenings(host: string): Opening[] {
  const opens = isLoopback(host)
    ? `only this machine can reach the server (${host})`
    : `everyone who can reach ${host} can reach the server; put it behind TLS`
  return [{ name: 'HOST', opens }]
}

function cookieOpenings(
  settings: Settings,
  { host, publicUrl }: { readonly host: string; readonly publicUrl: string },
): Opening[] {
  const isTls = publicUrl.toLowerCase().startsWith('https:')
  const names = ['SERVICE_ACCESS_SECURE', 'SERVICE_REFRESH_SECURE'] as const
  return names
    .filter((name) => !(settings[name] ?? isTls) && (isTls || !isLoopback(host)))
    .map((name) => ({
      name,
      opens: 'the cookie is also sent without TLS; set SERVICE_PUBLIC_URL to an https URL',
    }))
}

/** Requires both the option and a list of commands. */
function commandOpenings(settings: Settings): Opening[] {
  const { SERVICE_MCP_STDIO: isOn, SERVICE_MCP_STDIO_COMMANDS: commands = [] } = settings
  if (isOn !== true) return []
  const opens =
    commands.length === 0
      ? 'nothing: SERVICE_MCP_STDIO_COMMANDS lists no command'
      : `flows of superusers can start on this machine: ${commands.join(', ')}`
  return [{ name: 'SERVICE_MCP_STDIO', opens }]
}

/** Features available to anonymous clients with any settings. */
function lanes(settings: Settings): Opening[] {
  const {
    SERVICE_MAX_PUBLIC_BODY: kib = 1024,
    SERVICE_MAX_CONCURRENT_BUILDS: places,
    SERVICE_MAX_BUILDS_PER_USER: perUser,
    SERVICE_MAX_QUEUED_BUILDS: queued = 1000,
  } = settings
  return [
    {
      name: 'builds',
      opens: `${places ?? 'the default number of'} simultaneous builds, ${perUser ?? 'at most half'} of one user, ${queued} queued (--help: SERVICE_MAX_*)`,
    },
    {
      name: 'public flows',
      opens: `visitors can run flows that their owners made public, with bodies up to ${kib} KiB`,
    },
    { name: '/surfaces/demo', opens: 'anyone can watch and use the demo surface' },
  ]
}
