/**
 * The network an address is rate-limited as: IPv4 addresses (also IPv4-mapped) by themselves, IPv6 addresses
 * by their /64, since a customer controls all of it (RFC 6177). Other strings are returned unchanged.
 */
export function clientNetworkOf(address: string): string {
  const text = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*/s, '')
  const url = `http://[${text}]`
  if (!text.includes(':') || !/^[\da-f:.]+$/i.test(text) || !URL.canParse(url)) return address
  // The parser of URLs writes every address in one form, with groups in hexadecimal.
  const groups = groupsOf(new URL(url).hostname.slice(1, -1))
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${new URL(`http://[${network.join(':')}::]`).hostname.slice(1, -1)}/64`
}

function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}
