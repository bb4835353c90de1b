import { describe, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { prometheusHandler } from './prometheus.ts'

const textOf = async (metrics = createMetrics(), accept = '*/*'): Promise<string> =>
  (await prometheusHandler(metrics)(new Request('http://h/', { headers: { accept } }))).text()

describe('OP-6 metrics', () => {
  test('a name is reused only with the same type and labels; invalid names are refused', () => {
    const metrics = createMetrics()
    const spec = { name: 'a_total', help: 'h', labels: ['x'] }
    metrics.counter(spec).add({ x: '1' })
    metrics.counter(spec).add({ x: '1' }, 2)
    expect(() => metrics.gauge(spec)).toThrow('a_total')
    expect(() => metrics.counter({ ...spec, labels: [] })).toThrow('a_total')
    expect(() => metrics.counter({ name: 'b', help: '' })).toThrow('_total')
    expect(() => metrics.gauge({ name: 'a b', help: '' })).toThrow('a b')
  })

  test('text 0.0.4 and OpenMetrics are rendered with escaped help and labels', async () => {
    const metrics = createMetrics()
    metrics.counter({ name: 'a_total', help: 'a "b"\n\\', labels: ['x'] }).add({ x: '"\n\\' })
    metrics.gauge({ name: 'g', help: 'g' }).set({}, Number.POSITIVE_INFINITY)
    metrics.histogram({ name: 'h', help: 'h', buckets: [1, 2] }).observe({}, 1.5)
    expect(await textOf(metrics)).toBe(
      [
        '# HELP a_total a "b"\\n\\\\',
        '# TYPE a_total counter',
        'a_total{x="\\"\\n\\\\"} 1',
        '# HELP g g',
        '# TYPE g gauge',
        'g +Inf',
        '# HELP h h',
        '# TYPE h histogram',
        'h_bucket{le="1"} 0',
        'h_bucket{le="2"} 1',
        'h_bucket{le="+Inf"} 1',
        'h_sum 1.5',
        'h_count 1',
        '',
      ].join('\n'),
    )
    const open = await textOf(metrics, 'application/openmetrics-text; version=1.0.0')
    expect(open).toContain('# TYPE a counter\na_total{')
    expect(open).toMatch(/# EOF\n$/)
  })

  test('OP-8 label values beyond the limits of a metric are counted as other', async () => {
    const metrics = createMetrics()
    const counter = metrics.counter({ name: 'a_total', help: 'h', labels: ['x', 'y'] })
    for (let n = 0; n < 10_000; n += 1) counter.add({ x: `x${n}`, y: `y${n % 100}` })
    counter.add({ x: 'x'.repeat(201), y: 'y0' })
    const [metric] = await metrics.collect()
    expect(metric?.samples.length).toBeLessThanOrEqual(2001)
    const sum = metric?.samples.reduce((all, { value }) => all + value, 0)
    expect(sum).toBe(10_001)
    expect(JSON.stringify(metric)).not.toContain('x9999')
  })

  test('a collector that throws does not affect the others', async () => {
    const metrics = createMetrics()
    const gauge = metrics.gauge({ name: 'g', help: 'g' })
    metrics.onCollect(() => {
      throw new Error('no')
    })
    const off = metrics.onCollect(() => gauge.set({}, 5))
    expect(await textOf(metrics)).toContain('g 5\n')
    off()
    gauge.set({}, 6)
    expect(await textOf(metrics)).toContain('g 6\n')
  })
})
