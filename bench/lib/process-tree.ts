import { readdirSync, readFileSync } from 'node:fs'
import type { Usage } from './report-usage.ts'

/** Microseconds of a tick of the processor time in `/proc`. */
const TICK = 10_000
/** Bytes of a page. */
const PAGE = 4096

/**
 * Processor time and memory of a program that is not ours and of all that it started, those that ended
 * included, from `/proc` of Linux.
 */
export function treeUsage(pid: number): Usage {
  const processes = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => statOf(name)),
  )
  const isOurs = (id: number): boolean => {
    const parent = processes.get(id)?.parent
    return id === pid || (parent !== undefined && parent > 1 && isOurs(parent))
  }
  let ticks = 0
  let pages = 0
  for (const [id, stat] of processes) {
    if (!isOurs(id)) continue
    ticks += stat.ticks
    pages += stat.pages
  }
  return { cpu: ticks * TICK, rss: pages * PAGE }
}

interface ProcessStat {
  readonly parent: number
  readonly ticks: number
  readonly pages: number
}

/** Reads `/proc/ID/stat`; empty when the process has ended meanwhile. */
function statOf(id: string): [number, ProcessStat][] {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8')
    // The second field is the name in parentheses, which may hold anything; the fields are counted after it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const at = (field: number): number => fields[field - 3] ?? 0
    const ticks = at(14) + at(15) + at(16) + at(17)
    return [[Number(id), { parent: at(4), ticks, pages: at(24) }]]
  } catch {
    return []
  }
}
