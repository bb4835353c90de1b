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
    ['0x10+0b11+0o7', 26],
    ['True+1', 2],
  ] as const)('%s', ([expression, value]) => {
    expect(calculate(expression)).toBeCloseTo(value, 6)
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
    ['None', 'Unsupported constant type: NoneType'],
    ['1j', 'Unsupported constant type: complex'],
    ['b"a"', 'Unsupported constant type: bytes'],
    ['f"{1}"', 'Unsupported operation or expression type: JoinedStr'],
    ['1 if 1 else 2', 'Unsupported operation or expression type: IfExp'],
    ['1 and 2', 'Unsupported operation or expression type: BoolOp'],
    ['not 1', 'Unsupported operation or expression type: UnaryOp'],
    ['lambda: 1', 'Unsupported operation or expression type: Lambda'],
    ['()', 'Unsupported operation or expression type: Tuple'],
    ['10**400', 'Numerical result out of range'],
    ['1e308*10', 'Numerical result out of range'],
    ['[1]', 'Unsupported operation or expression type: List'],
    ['(1', 'invalid syntax'],
    ['hello world', 'invalid syntax'],
    ['3 4', 'invalid syntax'],
    ['1)', 'invalid syntax'],
    ['1__0', 'invalid syntax'],
    ['012', 'invalid syntax'],
    ['1 $ 2', 'invalid syntax'],
    ['0**(0-1)', 'Division by zero'],
  ] as const)('%s is refused', ([expression, why]) => {
    expect(() => calculate(expression)).toThrow(why)
  })

  test('deep and long expressions are refused without a stack overflow', () => {
    expect(() => calculate('('.repeat(4000) + '1' + ')'.repeat(4000))).toThrow('nested too deeply')
    expect(() => calculate('1+'.repeat(10_000) + '1')).toThrow('too long')
  })
})
