/** The figures of one candidate in each round. */
export interface Measured {
  readonly name: string
  /** One figure for each round, in the unit of the candidate's own function. */
  readonly samples: readonly number[]
  readonly median: number
}

/** The work of one round of one candidate; gives its figure (microseconds of CPU, bytes, ...). */
export type Candidate = () => number | Promise<number>

/**
 * Runs all candidates in turn, round after round, so that a slow spell of the machine hits each of
 * them alike. The first `warmUp` rounds (default 1) are thrown away; `rounds` (default 5) count.
 * The order turns by one place with each round.
 */
export async function interleave(
  candidates: Readonly<Record<string, Candidate>>,
  { rounds = 5, warmUp = 1 }: { readonly rounds?: number; readonly warmUp?: number } = {},
): Promise<Map<string, Measured>> {
  const entries = Object.entries(candidates)
  const samples = new Map(entries.map(([name]): [string, number[]] => [name, []]))
  for (let round = 0; round < warmUp + rounds; round++) {
    for (let place = 0; place < entries.length; place++) {
      const entry = entries[(place + round) % entries.length]
      if (entry === undefined) continue
      const figure = await entry[1]()
      if (round >= warmUp) samples.get(entry[0])?.push(figure)
    }
  }
  return new Map(
    entries.map(([name]) => {
      const figures = samples.get(name) ?? []
      return [name, { name, samples: figures, median: median(figures) }]
    }),
  )
}

/**
 * The ratio `one / other` of two candidates of the same run: the median of the ratios of each round,
 * which a disturbed round moves less than a ratio of medians.
 */
export function ratio(measured: ReadonlyMap<string, Measured>, one: string, other: string): number {
  const bounds = taken(measured, other)
  return median(taken(measured, one).map((value, round) => value / (bounds[round] ?? NaN)))
}

/** The ratio of two candidates by short samples. */
export interface PairRatio {
  readonly median: number
  /** Quartiles of the ratios of the rounds. */
  readonly quartiles: readonly [number, number]
  /** Medians of the figures of either candidate. */
  readonly one: number
  readonly other: number
}

/**
 * The ratio `one / other` of candidates that differ by less than the machine's noise. Each round runs one,
 * other, other, one, so that a steady drift cancels; short rounds (a few ms) and many of them (default 100)
 * leave the median to those that nothing disturbed.
 */
export async function pairRatio(
  one: Candidate,
  other: Candidate,
  { rounds = 100, warmUp = 10 }: { readonly rounds?: number; readonly warmUp?: number } = {},
): Promise<PairRatio> {
  const figures: { one: number; other: number }[] = []
  for (let round = 0; round < warmUp + rounds; round++) {
    const first = await one()
    const between = (await other()) + (await other())
    if (round >= warmUp) figures.push({ one: first + (await one()), other: between })
    else await one()
  }
  const ratios = figures.map((figure) => figure.one / figure.other)
  return {
    median: median(ratios),
    quartiles: [percentile(ratios, 25), percentile(ratios, 75)],
    one: median(figures.map((figure) => figure.one / 2)),
    other: median(figures.map((figure) => figure.other / 2)),
  }
}

function taken(measured: ReadonlyMap<string, Measured>, name: string): readonly number[] {
  const found = measured.get(name)
  if (found === undefined) throw new Error(`No candidate is called ${name}`)
  return found.samples
}

/** CPU time (user and system) of this process in microseconds for each of `count` operations. */
export async function cpuPerOperation(
  count: number,
  work: () => void | Promise<void>,
): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

/** The heap in use in bytes; collects first when the process was started with `--expose-gc`. */
export function heapUsed(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** The value below which `percent` of the values lie; between two values the line between them. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = ((sorted.length - 1) * percent) / 100
  const low = sorted[Math.floor(place)] ?? NaN
  const high = sorted[Math.ceil(place)] ?? NaN
  return low + (high - low) * (place - Math.floor(place))
}
