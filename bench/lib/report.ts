/** One line of a report. `value` is compared with `limit`; without one it is only shown. */
export interface Figure {
  readonly name: string
  readonly value: number
  /** 'x' for a ratio, 'us' for CPU microseconds, 'MiB', ... */
  readonly unit: string
  readonly limit?: number
  /** Meaning of `limit`: the most (default) or the least that is accepted. */
  readonly better?: 'lower' | 'higher'
  /** The note beside the figure: the two sides of a ratio, or a setting. */
  readonly note?: string
}

/**
 * Prints the figures as a table, then as one line of JSON, and sets the exit code to 1 when one of
 * them is over (or under) its limit.
 */
export function report(bench: string, figures: readonly Figure[]): void {
  const rows = figures.map((figure) => ({ ...figure, ok: withinLimit(figure) }))
  const cells = [
    ['', 'measured', 'limit', '', ''],
    ...rows.map(({ name, value, unit, limit, better, note, ok }) => [
      name,
      `${round(value)} ${unit}`,
      limit === undefined ? '' : `${better === 'higher' ? '>=' : '<='} ${limit}`,
      limit === undefined ? '' : ok ? 'ok' : 'MISSED',
      note ?? '',
    ]),
  ]
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  )
  for (const row of cells) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
  console.log(
    JSON.stringify({
      bench,
      node: process.version,
      figures: rows.map((row) => ({ ...row, value: Number(round(row.value)) })),
    }),
  )
  if (rows.some(({ ok }) => !ok)) process.exitCode = 1
}

function withinLimit({ value, limit, better }: Figure): boolean {
  if (limit === undefined) return true
  return better === 'higher' ? value >= limit : value <= limit
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}
