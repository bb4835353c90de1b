/** One line of metrics. */
export interface MetricSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/
const LABEL = /,?([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/gy
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', '"': '"', '\\': '\\' }

/** Reads the text format 0.0.4 of Prometheus; lines of other forms are skipped. */
export function parseMetrics(text: string): MetricSample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(LABEL)].map(([, label = '', written = '']) => [
      label,
      written.replace(/\\(.)/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped),
    ])
    return [
      { name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) },
    ]
  })
}
