import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { limitMemory } from './limit-memory.ts'

interface Platform {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object) => { exports: { memory: { grow(pages: number): number } } }
}
const platform = Reflect.get(globalThis, 'WebAssembly') as Platform

/** A module that exports a memory of 1 to 300 pages. */
const SMALL = Uint8Array.from(
  Buffer.from('0061736d010000000505010101ac02070a01066d656d6f72790200', 'hex'),
)

test('PY-12: the engine refuses to grow a memory beyond the declared limit', () => {
  const { memory } = new platform.Instance(new platform.Module(limitMemory(SMALL, 3))).exports
  expect(memory.grow(2)).toBe(1)
  expect(() => memory.grow(1)).toThrow(RangeError)
})

test('PY-12: the interpreter accepts a memory limit', () => {
  const path = createRequire(import.meta.url).resolve('pyodide/pyodide.asm.wasm')
  const binary = readFileSync(path)
  const limited = limitMemory(binary, 1024)
  expect(Math.abs(limited.length - binary.length)).toBeLessThan(8)
  expect(() => new platform.Module(limited)).not.toThrow()
  expect(() => limitMemory(SMALL.subarray(0, 8), 1)).toThrow('does not define a memory')
})
