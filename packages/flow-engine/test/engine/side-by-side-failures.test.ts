import { describe, expect, test } from 'vitest'
import { loop } from '../../src/components/built-in/flow-controls/loop.ts'
import { createSystemRuntime } from '@x/flow-engine'
import { collectEvents, flowBuilder } from '@x/flow-engine/testing'
import { gated, looped, turns } from './gated.ts'
import { join, start, words } from './dependencies.ts'

describe('a failure among parallel passes', () => {
  for (const deaf of [false, true]) {
    const how = deaf ? ', also where they do not listen to their signal' : ''
    test(`FE-32: it fails the run, ends the other passes and starts no later one${how}`, async () => {
      for (const mode of ['run', 'build'] as const) {
        const gate = gated({ deaf })
        const flow = looped(gate.component, 'a b c d e')
        const started = start(flow, { parallel: 3, mode, more: [gate.component] })
        await gate.begun(3)
        gate.fail('b')
        const events = await collectEvents(started)
        const result = await started.result
        expect(result.status).toBe('failed')
        expect(result.error?.detail).toContain('no b')
        expect(gate.started).toEqual(['a', 'b', 'c'])
        // In mode `run` the signal of the failed one fires, too: all is over.
        expect(gate.stopped.filter((name) => name !== 'b')).toEqual(['a', 'c'])
        expect(events.filter(({ event }) => event === 'error')).toHaveLength(1)
        const failed = events.filter(
          ({ event, data }) =>
            event === 'end_vertex' &&
            !(data as { build_data: { valid: boolean } }).build_data.valid,
        )
        expect(failed).toHaveLength(1)
        expect(events.at(-1)?.event).toBe('end')
        expect(result.vertices.has('Join-after')).toBe(false)
      }
    })
  }

  test('FE-32, FE-61: other branches of a build continue; a late result of a pass is dropped', async () => {
    const gate = gated({ deaf: true })
    const other = gated()
    const slow = { ...other.component, type: 'Slow' }
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-1' })
    flow.add(gate.component, { id: 'Body-1' })
    flow.add('TextInput', { id: 'TextInput-1', values: { input_value: 'x' } })
    flow.add(slow, { id: 'Slow-1' })
    flow
      .connect('Words-1.rows', 'LoopComponent-1.data')
      .connect('LoopComponent-1.item', 'Body-1.text')
      .connect('Body-1.out', 'LoopComponent-1.item')
      .connect('TextInput-1.text', 'Slow-1.text')
    const more = [gate.component, slow]
    const started = start(flow.toJSON(), { parallel: 2, mode: 'build', more })
    await gate.begun(2)
    await other.begun(1)
    gate.fail('a')
    await turns()
    gate.open('b')
    await turns()
    other.open('x')
    const result = await started.result
    expect(result.vertices.get('Slow-1')?.valid).toBe(true)
    expect(result.vertices.get('Body-1')?.valid).toBe(false)
    expect(result.messages.map(({ text }) => text)).toEqual(['no a\n', 'said x'])
    expect(gate.stopped).toEqual(['b'])
  })

  test('FE-32: a failure in an inner pass ends the passes of the outer loop', async () => {
    const gate = gated()
    const flow = flowBuilder()
    flow.add(words, { id: 'Words-1', values: { text: 'a b c' } })
    flow.add(loop, { id: 'LoopComponent-out' })
    flow.add(loop, { id: 'LoopComponent-in' })
    flow.add(gate.component, { id: 'Body-1' })
    flow.add(join, { id: 'Join-after' })
    flow
      .connect('Words-1.rows', 'LoopComponent-out.data')
      .connect('LoopComponent-out.item', 'LoopComponent-in.data')
      .connect('LoopComponent-in.item', 'Body-1.text')
      .connect('Body-1.out', 'LoopComponent-in.item')
      .connect('LoopComponent-in.done', 'LoopComponent-out.item')
      .connect('LoopComponent-out.done', 'Join-after.texts')
    const json = flow.toJSON()
    for (const edge of json.data?.edges ?? []) {
      const handle = edge.data?.targetHandle as { inputTypes?: string[] }
      if (handle.inputTypes !== undefined) handle.inputTypes = ['Data', 'DataFrame', 'Message']
    }
    const options = { parallel: 2, mode: 'build' as const, more: [gate.component] }
    const started = start(json, options)
    await gate.begun(2)
    gate.fail('a')
    const events = await collectEvents(started)
    const result = await started.result
    expect(result.status).toBe('failed')
    expect(gate.started).toEqual(['a', 'b'])
    expect(gate.stopped).toEqual(['b'])
    expect(events.filter(({ event }) => event === 'error')).toHaveLength(1)
  })

  test('FE-32: a vertex that waits for a free slot in another pass is not started', async () => {
    const gate = gated()
    const flow = looped(gate.component, 'a b c d')
    const options = { parallel: 4, concurrency: 2, mode: 'build' as const }
    const started = start(flow, { ...options, more: [gate.component] })
    await gate.begun(1)
    await turns()
    const before = gate.started.length
    gate.fail('a')
    const { status } = await started.result
    expect(status).toBe('failed')
    expect(gate.started).toHaveLength(before)
  })

  test('FE-32, FE-67: a time limit of vertices does not replace the signal of a pass', async () => {
    const gate = gated()
    const options = { parallel: 2, mode: 'build' as const, limits: { vertexTimeoutMs: 1000 } }
    const started = start(looped(gate.component, 'a b'), { ...options, more: [gate.component] })
    await gate.begun(2)
    gate.fail('a')
    await started.result
    expect(gate.stopped).toContain('b')
  })

  test('FE-32, FE-60: cancelling the run stops all passes', async () => {
    const gate = gated()
    const started = start(looped(gate.component, 'a b c'), {
      parallel: 2,
      more: [gate.component],
    })
    await gate.begun(2)
    started.cancel()
    const result = await started.result
    expect(result.status).toBe('cancelled')
    expect(gate.stopped).toEqual(['a', 'b'])
    expect(gate.started).toEqual(['a', 'b'])
  })

  test('FE-32, FE-67: a pass that takes too long fails like any other', async () => {
    const gate = gated()
    const options = { parallel: 2, limits: { vertexTimeoutMs: 5 }, more: [gate.component] }
    const runtime = createSystemRuntime()
    const result = await start(looped(gate.component, 'a b c'), { ...options, runtime }).result
    expect(result.error?.code).toBe('timeout')
    expect(gate.started).toEqual(['a', 'b'])
  })
})
