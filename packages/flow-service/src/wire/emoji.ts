import { gemoji } from 'gemoji'

let byName: ReadonlyMap<string, string> | undefined

/** The emoji for a CLDR short name with underscores (`high_voltage`); undefined if there is none. */
export function findEmoji(name: string): string | undefined {
  byName ??= new Map(
    gemoji.map(({ description, emoji }) => [description.replaceAll(/[\s:]+/g, '_'), emoji]),
  )
  return byName.get(name)
}
