import { BlockList, isIP } from 'node:net'
import { SettingsError } from './read-settings.ts'

/**
 * Parses `true`, `false`, or a list of addresses and CIDR ranges whose forwarded headers are trusted.
 * @throws SettingsError for anything else
 */
export function readTrustProxy(
  entries: readonly string[],
): boolean | ((address: string) => boolean) {
  if (entries.length === 1 && /^(true|false)$/i.test(entries[0] ?? ''))
    return entries[0]?.toLowerCase() === 'true'
  const trusted = new BlockList()
  for (const entry of entries) add(trusted, entry)
  return (address) => isIP(address) !== 0 && trusted.check(address, family(address))
}

function add(trusted: BlockList, entry: string): void {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const widest = isIP(address) === 4 ? 32 : 128
  const prefix = bits === undefined ? widest : Number(bits)
  if (isIP(address) === 0 || prefix > widest)
    throw new SettingsError(`SERVICE_TRUST_PROXY: ${entry} is neither an address nor a CIDR range`)
  trusted.addSubnet(address, prefix, family(address))
}

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 4 ? 'ipv4' : 'ipv6')
