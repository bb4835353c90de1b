import {
  createFamily,
  type CollectedMetric,
  type Family,
  type Labels,
  type MetricSpec,
} from './family.ts'

/** A value that only increases. */
export interface Counter {
  /** @param by at least 0. Default 1 */
  add(labels?: Labels, by?: number): void
}

/** A value that goes up and down. */
export interface Gauge {
  set(labels: Labels, value: number): void
  add(labels: Labels, by: number): void
}

/** Counts values in buckets. */
export interface Histogram {
  observe(labels: Labels, value: number): void
}

/** The definition of a histogram. */
export interface HistogramSpec extends MetricSpec {
  /** Upper bounds in ascending order. Default: seconds from 1 ms to 5 minutes. */
  readonly buckets?: readonly number[]
}

/**
 * Counters, gauges and histograms of one process. Requesting a name again returns the same metric. Label
 * values beyond a metric's limits count as `other`, so that clients cannot make it grow.
 */
export interface Metrics {
  /** @param spec `name` ends with `_total` */
  counter(spec: MetricSpec): Counter
  gauge(spec: MetricSpec): Gauge
  histogram(spec: HistogramSpec): Histogram
  /** Called before the metrics are collected, to set gauges; if it throws, they are unchanged. */
  onCollect(collect: () => void | Promise<void>): () => void
  /** All metrics with their samples, in order of creation. */
  collect(): Promise<readonly CollectedMetric[]>
}

/** Seconds. */
const BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
]

/** Creates an empty metrics registry. */
export function createMetrics(): Metrics {
  const families = new Map<string, Family>()
  const collectors = new Set<() => void | Promise<void>>()

  const family = (
    type: CollectedMetric['type'],
    { buckets = BUCKETS, ...spec }: HistogramSpec,
  ): Family => {
    const known = families.get(spec.name)
    if (known !== undefined) {
      known.check(type, spec)
      return known
    }
    const made = createFamily(type, { ...spec, buckets })
    families.set(spec.name, made)
    return made
  }
  return {
    counter(spec) {
      const { change } = family('counter', spec)
      return { add: (labels = {}, by = 1) => by >= 0 && change(labels, by, 'add') }
    },
    gauge(spec) {
      const { change } = family('gauge', spec)
      return {
        set: (labels, value) => change(labels, value, 'set'),
        add: (labels, by) => change(labels, by, 'add'),
      }
    },
    histogram(spec) {
      const { observe } = family('histogram', spec)
      return { observe }
    },
    onCollect(collect) {
      collectors.add(collect)
      return () => void collectors.delete(collect)
    },
    async collect() {
      await Promise.allSettled([...collectors].map(async (collect) => collect()))
      return [...families.values()].map(({ name, help, type, samples }) => ({
        name,
        help,
        type,
        samples: samples(),
      }))
    },
  }
}
