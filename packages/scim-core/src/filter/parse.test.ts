import { describe, expect, test } from 'vitest'
import { isScimError } from '../base/errors.ts'
import { parsePath } from '../patch/parse-path.ts'
import type { FilterAst } from './ast.ts'
import { formatFilter } from './format.ts'
import { parseFilter } from './parse.ts'

const path = (name: string, sub: string | null = null): object => ({
  urn: null,
  name,
  sub,
  where: null,
})
const eq = (name: string, value: unknown): object => ({
  kind: 'compare',
  path: path(name),
  operator: 'eq',
  value,
})

describe('parseFilter', () => {
  test('SC-38 precedence: not before and before or; parentheses first', () => {
    expect(parseFilter('a eq 1 or b eq 2 and not (c eq 3)')).toEqual({
      kind: 'or',
      terms: [eq('a', 1), { kind: 'and', terms: [eq('b', 2), { kind: 'not', term: eq('c', 3) }] }],
    })
    expect(parseFilter('(a eq 1 or b eq 2) and c eq 3')).toEqual({
      kind: 'and',
      terms: [{ kind: 'or', terms: [eq('a', 1), eq('b', 2)] }, eq('c', 3)],
    })
  })

  test('SC-38 operators ignore case; spaces separate tokens', () => {
    expect(parseFilter('  a   EQ 1  AND NOT(b PR)  ')).toEqual({
      kind: 'and',
      terms: [eq('a', 1), { kind: 'not', term: { kind: 'present', path: path('b') } }],
    })
  })

  test.each([
    ['a eq "x\\u0041\\n\\"y"', 'xA\n"y'],
    ['a eq "]) and (b"', ']) and (b'],
    ['a eq -1.5e2', -150],
    ['a eq TRUE', true],
    ['a eq Null', null],
    ['a eq bare.word@x-y:z', 'bare.word@x-y:z'],
    ['a eq 2031-01-01T00:00:00Z', '2031-01-01T00:00:00Z'],
    ['a eq 01', '01'],
  ])('literal: %s', (text, value) => {
    expect(parseFilter(text)).toEqual(eq('a', value))
  })

  test('SC-38 a name that starts like an operator is a name', () => {
    for (const name of ['notes', 'android', 'oranges', 'not'])
      expect(parseFilter(`${name} pr`)).toMatchObject({ kind: 'present', path: { name } })
  })

  test('SC-38 a dot inside a URN or a string is no separator', () => {
    const urn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
    expect(parseFilter(`${urn}:manager.value eq "a.b"`)).toMatchObject({
      path: { urn, name: 'manager', sub: 'value' },
    })
    expect(parseFilter('a[b.c eq "x"].d co "y"')).toMatchObject({
      path: { name: 'a', sub: 'd', where: { path: { name: 'b', sub: 'c' } } },
    })
  })

  test.each([
    ['', 0],
    ['a', 1],
    ['a eq', 4],
    ['a eq ', 5],
    ["a eq 'x'", 5],
    ['a eq "x', 5],
    ['a eq "\\x"', 5],
    ['a xx 1', 2],
    ['a eq 1 and', 7],
    ['a eq 1 b', 7],
    ['(a eq 1', 7],
    ['a eq 1)', 6],
    ['not a eq 1', 4],
    ['a[b[c pr] pr]', 3],
    ['a[b pr', 6],
    ['a[b pr]x', 7],
    ['a[b pr] xx', 8],
    ['a[b pr] eq', 10],
    ['a.b.c eq 1', 0],
    ['1a eq 1', 0],
    ['a eq 1and b eq 2', 10],
    ['a and(b pr)', 2],
  ])('SC-41 refused with its position: %s', (text, position) => {
    expect(() => parseFilter(text)).toThrow(
      expect.objectContaining({
        name: 'InvalidFilterError',
        scimType: 'invalidFilter',
        position,
      }),
    )
  })

  test('SC-44 hostile filters are parsed in one pass', () => {
    const limits = { filterLength: 1_000_000, filterTerms: 1_000_000, filterDepth: 1_000 }
    for (const text of [
      '('.repeat(999),
      'not ('.repeat(999),
      `a eq "${'\\'.repeat(500_000)}`,
      `${'a'.repeat(500_000)} pr`,
      ' '.repeat(500_000),
      `a eq ${'9'.repeat(500_000)}`,
      `${'a.'.repeat(200_000)} pr`,
      `${'urn:'.repeat(200_000)}x pr`,
    ]) {
      const outcome = attempt(() => parseFilter(text, limits))
      expect([true, 'filter']).toContain(isScimError(outcome) || outcome)
    }
    expect(parseFilter('a pr and '.repeat(20_000) + 'a pr', limits)).toHaveProperty('kind', 'and')
  })
})

describe('formatFilter', () => {
  test('parse(format(ast)) equals ast, for random trees', () => {
    let state = 1
    const random = (n: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((state / 4_294_967_296) * n)
    }
    const pathOf = (
      bracket: boolean,
    ): { urn: string | null; name: string; sub: string | null; where: FilterAst | null } => ({
      urn: random(4) === 0 ? 'urn:x:2.0:User' : null,
      name: ['a', 'userName', '$ref', 'b_c-d'][random(4)] ?? 'a',
      sub: random(3) === 0 ? 'value' : null,
      where: bracket && random(4) === 0 ? tree(4, false) : null,
    })
    const values = ['', 'x"y\\', 'Ω\n', 0, -1.5, 1e21, true, false, null, '\ud800']
    const operators = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
    const tree = (depth: number, bracket: boolean): FilterAst => {
      const kind = depth > 5 ? random(2) : random(6)
      if (kind === 2) return { kind: 'not', term: tree(depth + 1, bracket) }
      if (kind > 2)
        return {
          kind: kind === 3 ? 'and' : 'or',
          terms: [tree(depth + 1, bracket), tree(depth + 1, bracket)],
        }
      const target = pathOf(bracket)
      if (target.where !== null && target.sub === null) return { kind: 'element', path: target }
      if (kind === 0) return { kind: 'present', path: target }
      return {
        kind: 'compare',
        path: target,
        operator: operators[random(9)] ?? 'eq',
        value: values[random(values.length)] ?? null,
      }
    }
    for (let n = 0; n < 500; n += 1) {
      const ast = tree(0, true)
      expect(
        parseFilter(formatFilter(ast), { filterLength: 1e6, filterTerms: 1e6, filterDepth: 100 }),
      ).toEqual(ast)
    }
  })
})

describe('parsePath', () => {
  test.each(['a', 'a.b', 'urn:x:y:a.b', 'a[b eq "c]d"]', 'a[b pr].c', 'urn:x:2.0'])(
    'SC-46 %s',
    (text) => {
      expect(parsePath(text)).toHaveProperty('name')
    },
  )

  test.each([
    '',
    ' a',
    'a b',
    'a.',
    '.a',
    'a[0]',
    'a[]',
    'a[b pr',
    'a]b',
    'a[b pr].',
    'a[b pr]c',
    'x'.repeat(1_025),
  ])('SC-45 invalidPath: %s', (text) => {
    expect(() => parsePath(text)).toThrow(expect.objectContaining({ scimType: 'invalidPath' }))
  })

  test('SC-45 a wrong filter inside is invalidFilter', () => {
    expect(() => parsePath('a[b is "c"].d')).toThrow(
      expect.objectContaining({ scimType: 'invalidFilter' }),
    )
  })
})

function attempt(run: () => FilterAst): unknown {
  try {
    run()
    return 'filter'
  } catch (error) {
    return error
  }
}
