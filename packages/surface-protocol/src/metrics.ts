export {
  createMetrics,
  prometheusHandler,
  type CollectedMetric,
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramSpec,
  type Labels,
  type Metrics,
  type MetricSpec,
  type Sample,
} from '@x/wire'
