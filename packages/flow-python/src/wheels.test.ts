import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { afterAll, expect, test } from 'vitest'
import { readWheels } from './wheels.ts'

const folder = mkdtempSync(join(tmpdir(), 'wheels-'))
afterAll(() => rmSync(folder, { recursive: true }))

test('PY-26: pure Python wheels are read; others are listed with the reason', () => {
  const wheel = zipSync({
    'greet/__init__.py': strToU8('def hi(): return "hi"'),
    'greet-1.0.dist-info/METADATA': strToU8('Name: greet'),
    'single.py': strToU8('x = 1'),
  })
  writeFileSync(join(folder, 'greet-1.0-py3-none-any.whl'), wheel)
  writeFileSync(join(folder, 'numpy-2.0-cp314-cp314-linux_x86_64.whl'), wheel)
  writeFileSync(join(folder, 'old-1.0-py2-none-any.whl'), wheel)
  writeFileSync(join(folder, 'torn-1.0-py3-none-any.whl'), wheel.subarray(0, 40))
  const { library, names, leftOut } = readWheels(folder)
  expect(Object.keys(library).toSorted()).toEqual(['greet/__init__.py', 'single.py'])
  expect([...names].toSorted()).toEqual(['greet', 'single'])
  expect(leftOut).toEqual([
    'numpy-2.0-cp314-cp314-linux_x86_64.whl: contains compiled code, which is not supported',
    'old-1.0-py2-none-any.whl: is for another Python version',
    'torn-1.0-py3-none-any.whl: cannot be read',
  ])
})

test('PY-26: a missing folder is named in the error', () => {
  expect(() => readWheels(join(folder, 'none'))).toThrow(/The wheels folder .*none cannot be read/)
  expect(readWheels(undefined).names.size).toBe(0)
})
