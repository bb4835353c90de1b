/** Label values of a metric, by name. */
export type Labels = Readonly<Record<string, string>>

/** The definition of a metric. */
export interface MetricSpec {
  /** Letters, digits, `_` and `:`. */
  readonly name: string
  readonly help: string
  /** Names of its labels. */
  readonly labels?: readonly string[]
  /** Maximum number of distinct values per label. Default 200. */
  readonly maxValues?: number
  /** Maximum number of series. Default 2,000. */
  readonly maxSeries?: number
}

/** One collected value: the suffix of its name, its labels and its value. */
export interface Sample {
  readonly suffix: '' | '_bucket' | '_sum' | '_count'
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly value: number
}

/** A collected metric. */
export interface CollectedMetric {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** A metric with its series. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: CollectedMetric['type']
  readonly change: (labels: Labels, value: number, how: 'set' | 'add') => void
  readonly observe: (labels: Labels, value: number) => void
  readonly samples: () => Sample[]
  /** @throws TypeError if type or labels differ */
  check(type: CollectedMetric['type'], spec: MetricSpec): void
}

interface Series {
  readonly values: readonly string[]
  value: number
  /** For a histogram: one more than it has bounds. */
  readonly counts: number[]
  count: number
}

/** Series nested by their label values, so that a lookup builds no string. */
interface SeriesTree {
  readonly next: Map<string, SeriesTree>
  series: Series | undefined
}

const NAME = /^[a-zA-Z_:][\w:]*$/
const LABEL = /^[a-zA-Z_]\w*$/
const OTHER = 'other'
/** Maximum length of a label value. */
const MAX_LENGTH = 200

/** @throws TypeError for an invalid name */
export function createFamily(
  type: CollectedMetric['type'],
  spec: MetricSpec & { readonly buckets: readonly number[] },
): Family {
  const { name, help, labels: names = [], maxValues = 200, maxSeries = 2000, buckets } = spec
  if (!NAME.test(name) || !names.every((label) => LABEL.test(label)))
    throw new TypeError(`${name} is not a valid metric name, or one of its label names is not`)
  if (type === 'counter' && !name.endsWith('_total'))
    throw new TypeError(`The name of a counter must end with _total: ${name}`)
  const series = new Map<string, Series>()
  const known = names.map(() => new Set<string>())
  const tree: SeriesTree = { next: new Map(), series: undefined }

  const bounded = (index: number, value: string): string => {
    const values = known[index]
    if (values === undefined || values.has(value)) return value
    if (values.size >= maxValues || value.length > MAX_LENGTH) return OTHER
    values.add(value)
    return value
  }
  const find = (labels: Labels): Series => {
    let node: SeriesTree | undefined = tree
    for (const label of names) {
      node = node.next.get(labels[label] ?? '')
      if (node === undefined) return findBounded(labels)
    }
    return node.series ?? findBounded(labels)
  }
  const findBounded = (labels: Labels): Series => {
    const values = names.map((label, index) => bounded(index, labels[label] ?? ''))
    const found = series.get(values.join('\u0000'))
    if (found !== undefined) return found
    const full = series.size >= maxSeries
    const kept = full ? names.map(() => OTHER) : values
    const key = kept.join('\u0000')
    const existing = series.get(key)
    if (existing !== undefined) return existing
    const counts = type === 'histogram' ? Array.from({ length: buckets.length + 1 }, () => 0) : []
    const made = { values: kept, value: 0, counts, count: 0 }
    series.set(key, made)
    let node = tree
    for (const value of kept) {
      const next: SeriesTree = node.next.get(value) ?? { next: new Map(), series: undefined }
      node.next.set(value, next)
      node = next
    }
    node.series = made
    return made
  }
  const labelsOf = ({ values }: Series): [string, string][] =>
    names.map((label, index) => [label, values[index] ?? ''])

  const histogramSamples = (one: Series): Sample[] => {
    const labels = labelsOf(one)
    let sum = 0
    const rows = one.counts.map((count, index): Sample => {
      sum += count
      const bound = buckets[index]
      const le = ['le', bound === undefined ? '+Inf' : String(bound)] as const
      return { suffix: '_bucket', labels: [...labels, le], value: sum }
    })
    return [
      ...rows,
      { suffix: '_sum', labels, value: one.value },
      { suffix: '_count', labels, value: one.count },
    ]
  }
  return {
    name,
    help,
    type,
    change(labels, value, how) {
      const one = find(labels)
      one.value = how === 'set' ? value : one.value + value
    },
    observe(labels, value) {
      const one = find(labels)
      let at = 0
      while (at < buckets.length && !(value <= (buckets[at] ?? 0))) at += 1
      one.counts[at] = (one.counts[at] ?? 0) + 1
      one.value += value
      one.count += 1
    },
    samples: () =>
      [...series.values()].flatMap((one): Sample[] =>
        type === 'histogram'
          ? histogramSamples(one)
          : [{ suffix: '', labels: labelsOf(one), value: one.value }],
      ),
    check(asked, { labels = [] }) {
      if (asked !== type || labels.join() !== names.join())
        throw new TypeError(
          `The metric ${name} is there already, with another type or other labels`,
        )
    },
  }
}
