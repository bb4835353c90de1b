import { interleave, ratio } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'
import { startServer } from '../lib/server-process.ts'
import { join } from './join.ts'
import { BASE, headers, type Side } from './directory-requests.ts'

/** DP-63: CPU of a start with its first answer, and of a turn of `maintain`, against the small directory. */
export async function startFigures(big: Side, small: Side): Promise<Figure[]> {
  const script = await join('directory-server')
  const start = (side: Side) => async () => {
    const server = await startServer(script, { args: [side.address] })
    await fetch(`http://127.0.0.1:${server.port}${BASE}/ServiceProviderConfig`, { headers })
    const { cpu } = await server.usage()
    await server.stop()
    return cpu
  }
  const maintain = (side: Side) => () =>
    side.server.cpuOf(async () => {
      for (let turn = 0; turn < 20; turn += 1)
        await fetch(`http://127.0.0.1:${side.server.port}/maintain`)
    })
  const figures: Figure[] = []
  for (const [name, candidate] of Object.entries({ start, maintain })) {
    const measured = await interleave(
      { big: candidate(big), small: candidate(small) },
      { rounds: 3 },
    )
    const ms = (of: string): string => ((measured.get(of)?.median ?? NaN) / 1_000).toFixed(0)
    figures.push({
      name: name === 'start' ? 'the start with one answer' : '20 turns of maintain',
      value: ratio(measured, 'big', 'small'),
      unit: 'x',
      limit: 2,
      note: `${ms('big')} against ${ms('small')} ms of CPU`,
    })
  }
  return figures
}
