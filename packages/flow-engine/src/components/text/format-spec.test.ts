import { describe, expect, test } from 'vitest'
import { formatBySpec, formatPlace } from './format-spec.ts'

describe('formatBySpec (CO-33, CO-36)', () => {
  test.for([
    ['zeros in front', 7, '05d', '00007'],
    ['zeros behind a sign', -7, '05d', '-0007'],
    ['decimals', 2.345, '.2f', '2.35'],
    ['thousands', 1234567.5, ',.1f', '1,234,567.5'],
    ['a sign', 5, '+d', '+5'],
    ['per cent', 0.256, '.1%', '25.6%'],
    ['an exponent', 12345, '.2e', '1.23e+04'],
    ['significant digits', 1234.5678, '.3g', '1.23e+03'],
    ['decimals of a very large number', 1e22, '.2f', '10000000000000000000000.00'],
    ['significant digits that round up', 999999.5, 'g', '1e+06'],
    ['significant digits that do not', 99999.5, 'g', '99999.5'],
    ['hexadecimal', 255, '#x', '0xff'],
    ['width of a text', 'ab', '5', 'ab   '],
    ['a text to the right', 'ab', '>5', '   ab'],
    ['a text in the middle', 'ab', '*^6', '**ab**'],
    ['a cut text', 'abcdef', '.3', 'abc'],
    ['no spec', [1, 'x'], '', "[1, 'x']"],
    ['zeros behind a text', 'ab', '05', 'ab000'],
    ['a truth value as a number', true, '>3', '  1'],
  ] as const)('%s', ([, value, spec, text]) => {
    expect(formatBySpec(value, spec)).toBe(text)
  })

  test.for([
    ['a number format of a text', 'x', 'd'],
    ['a text format of a number', 1, 's'],
    ['whole digits of a fraction', 1.5, 'd'],
    ['an unknown code', 1, 'y'],
    ['no spec at all', 1, '>>>'],
    ['an endless width', 1, '99999999d'],
    ['a precision of a whole number', 1, '.2'],
    ['a sign of a text', 'x', '+'],
    ['a width of a list', [1], '>8'],
    ['a width of nothing', null, '>8'],
  ] as const)('%s is refused', ([, value, spec]) => {
    expect(() => formatBySpec(value, spec)).toThrow(TypeError)
  })
})

describe('formatPlace (CO-33, CO-36)', () => {
  test.for([
    ['quoted', "it's", { conversion: 'r', spec: '' }, '"it\'s"'],
    ['quoted in ASCII', 'é€', { conversion: 'a', spec: '' }, "'\\xe9\\u20ac'"],
    ['as text, to the right', 1, { conversion: 's', spec: '>3' }, '  1'],
    ['without conversion', 1.5, { spec: '.2f' }, '1.50'],
  ] as const)('%s', ([, value, place, text]) => {
    expect(formatPlace(value, place)).toBe(text)
  })

  test('an unknown conversion is refused', () => {
    expect(() => formatPlace(1, { conversion: 'q', spec: '' })).toThrow('Unknown conversion !q')
  })
})
