import { describe, expect, test } from 'vitest'
import { calculate } from './calculate.ts'

describe('calculate (CO-39)', () => {
  test.for([
    ['1+2*3', 7],
    ['(1+2)*3', 9],
    ['2**3**2', 512],
    ['10/4-1', 1.5],
    ['10-3-2', 5],
    [' 1e3 + 1_000.5 ', 2000.5],
    ['.5+5.', 5.5],
  ] as const)('%s', ([expression, value]) => {
    expect(calculate(expression)).toBeCloseTo(value)
  })

  test.for([
    ['-5', 'Unsupported operation or expression type: UnaryOp'],
    ['2*-3', 'Unsupported operation or expression type: UnaryOp'],
    ['7%2', 'Unsupported binary operator: Mod'],
    ['1<<2', 'Unsupported binary operator: LShift'],
    ['1<2', 'Unsupported operation or expression type: Compare'],
    ['abs(1)', 'Unsupported operation or expression type: Call'],
    ['a.b', 'Unsupported operation or expression type: Attribute'],
    ['"a"', 'Unsupported constant type: str'],
    ['True', 'Unsupported constant type: bool'],
    ['[1]', 'Unsupported operation or expression type: List'],
    ['(1', 'invalid syntax'],
    ['1)', 'invalid syntax'],
    ['1__0', 'invalid syntax'],
    ['012', 'invalid syntax'],
    ['1 $ 2', 'invalid syntax'],
    ['0**(0-1)', 'Division by zero'],
  ] as const)('%s is refused', ([expression, why]) => {
    expect(() => calculate(expression)).toThrow(why)
  })

  test('deep and long expressions are refused, not a crash', () => {
    expect(() => calculate('('.repeat(4000) + '1' + ')'.repeat(4000))).toThrow('nested too deeply')
    expect(() => calculate('1+'.repeat(10_000) + '1')).toThrow('too long')
  })
})
