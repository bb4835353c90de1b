import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import type { Metrics } from '@x/flow-engine/metrics'

const GC_KINDS: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak'],
])

/** Metrics of this process (OP-8); the returned function stops them. */
export function observeProcess(metrics: Metrics, version: string): () => void {
  const gauge = (name: string, help: string) => metrics.gauge({ name, help })
  const heap = gauge('process_heap_used_bytes', 'Heap in use.')
  const rss = gauge('process_resident_memory_bytes', 'Resident memory.')
  const cpu = metrics.gauge({
    name: 'process_cpu_seconds',
    help: 'CPU time since the start.',
    labels: ['mode'],
  })
  const up = gauge('process_uptime_seconds', 'Time since the start.')
  const delay = metrics.gauge({
    name: 'process_event_loop_delay_seconds',
    help: 'Delay of the event loop since the last scrape.',
    labels: ['quantile'],
  })
  metrics
    .gauge({ name: 'build_info', help: 'Always 1.', labels: ['version', 'node'] })
    .set({ version, node: process.version }, 1)
  const collections = metrics.histogram({
    name: 'process_gc_duration_seconds',
    help: 'Pauses of the garbage collector.',
    labels: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
  })
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = Reflect.get(entry, 'detail') as { readonly kind: number }
      const name = GC_KINDS.get(kind) ?? 'other'
      collections.observe({ kind: name }, entry.duration / 1000)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()

  const stop = metrics.onCollect(() => {
    const memory = process.memoryUsage()
    heap.set({}, memory.heapUsed)
    rss.set({}, memory.rss)
    const { user, system } = process.cpuUsage()
    cpu.set({ mode: 'user' }, user / 1e6)
    cpu.set({ mode: 'system' }, system / 1e6)
    up.set({}, process.uptime())
    for (const quantile of ['0.5', '0.99', '1'])
      delay.set({ quantile }, loop.count === 0 ? 0 : loop.percentile(Number(quantile) * 100) / 1e9)
    loop.reset()
  })
  return () => {
    stop()
    loop.disable()
    observer.disconnect()
  }
}
