import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  checkUserAction,
  defaultLimits,
  createSurfaceStore,
  createUserAction,
  formatClientError,
  parseMessage,
  standardCatalogV08,
  SurfaceError,
  validateClientMessage,
  validateMessage,
  validateMessages,
  type SurfaceDiagnostic,
} from '@x/surface-protocol'
import { surfaceErrorCodes } from '../src/diagnostics/errors.ts'

const card = (id: string, child: string) => ({ id, component: { Card: { child } } })
const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const begin = { beginRendering: { surfaceId: 's', root: 'a' } }
const codes = (found: readonly SurfaceDiagnostic[]) =>
  found.map(({ code, severity }) => `${severity} ${code}`)

describe('one message', () => {
  test('SP-13 SP-56: a catalog checks styles too', () => {
    const message = { beginRendering: { ...begin.beginRendering, styles: { font: 1 } } }
    expect(validateMessage(message).diagnostics).toEqual([])
    expect(validateMessage(message, { catalog: standardCatalogV08 }).diagnostics).toMatchObject([
      { code: 'invalid_style', path: '/beginRendering/styles/font' },
    ])
  })

  test('SP-57: the error thrown is the first error, not a warning before it', () => {
    const text = JSON.stringify({ deleteSurface: { surfaceId: 's' }, more: 1 })
    expect(parseMessage(text, { mode: 'tolerant' })).toEqual({ deleteSurface: { surfaceId: 's' } })
    const wrong = JSON.stringify({ more: 1, beginRendering: { surfaceId: 's' } })
    expect(() => parseMessage(wrong, { mode: 'tolerant' })).toThrow(
      expect.objectContaining({
        code: 'missing_field',
        path: '/beginRendering/root',
        diagnostics: [
          expect.objectContaining({ code: 'unknown_key', severity: 'warning' }),
          expect.objectContaining({ code: 'missing_field', severity: 'error' }),
        ],
      }),
    )
  })
})

describe('a sequence', () => {
  test('SP-58: only what has begun must be whole', () => {
    const messages = [update(card('a', 'gone'), card('b', 'gone'))]
    expect(validateMessages(messages, { complete: true })).toEqual([])
    const found = validateMessages([...messages, begin], { complete: true })
    expect(found.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'missing_child', componentId: 'a', related: ['gone'], surfaceId: 's' },
      { code: 'missing_child', componentId: 'b', related: ['gone'] },
      { code: 'unreachable_component', componentId: 'b' },
    ])
    expect(codes(validateMessages([...messages, begin]))).toEqual(['warning missing_child'])
  })

  test('SP-58 SP-88: a whole tree is as deep as the limit, not deeper', () => {
    const chain = [update(card('a', 'b'), card('b', 'c'), { id: 'c', component: { Divider: {} } })]
    const check = (treeDepth: number) =>
      validateMessages([...chain, begin], { complete: true, limits: { treeDepth } })
    expect(check(3)).toEqual([])
    expect(check(2)).toMatchObject([
      { code: 'limit_exceeded', severity: 'error', limit: 'treeDepth' },
    ])
  })

  test('SP-58: the longest way to a component counts, a child that is missing once', () => {
    const row = (id: string, ...ids: string[]) => ({
      id,
      component: { Row: { children: { explicitList: ids } } },
    })
    const told = (...components: object[]) =>
      validateMessages(
        [
          { surfaceUpdate: { surfaceId: 's', components } },
          { beginRendering: { surfaceId: 's', root: 'r' } },
        ],
        { complete: true, limits: { treeDepth: 3 } },
      ).flatMap(({ code, severity }) => (severity === 'error' ? [code] : []))
    expect(told(row('r', 'x', 'a'), row('a', 'x'), row('x', 'y'), row('y'))).toEqual([
      'limit_exceeded',
    ])
    expect(told(row('r', 'x', 'x'))).toEqual(['missing_child'])
  })

  test('SP-60: quotations are not cut within a character', () => {
    for (const start of ['', 'x']) {
      const { diagnostics } = validateMessage({ [start + '😀'.repeat(60)]: 1, deleteSurface: {} })
      expect(diagnostics.map(({ message }) => message.includes('😀...'))).toContain(true)
    }
  })

  test('SP-62: invalid days and months, leap seconds, the surface of a diagnostic', () => {
    const found = (timestamp: string) =>
      validateClientMessage({
        userAction: { name: 'n', surfaceId: 's', sourceComponentId: 'c', timestamp, context: {} },
      }).diagnostics.map(({ code, surfaceId }) => `${surfaceId} ${code}`)
    for (const day of ['2026-00-10', '2026-13-10', '2026-01-00', '2026-01-32', '2026-02-30']) {
      expect(found(`${day}T08:00:00Z`)).toEqual(['s invalid_value'])
    }
    expect([found('2016-12-31T23:59:60Z'), found('2028-02-29T00:00:00.5+02:00')]).toEqual([[], []])
  })

  test('SP-63: a literal of the context counts while nothing is at its path', () => {
    const store = createSurfaceStore()
    const value = { path: 'x', literalString: 'y' }
    const action = { name: 'go', context: [{ key: 'k', value }] }
    const components = [{ id: 'r', component: { Button: { child: 'none', action } } }]
    store.applyAll([
      { surfaceUpdate: { surfaceId: 's', components } },
      { beginRendering: { surfaceId: 's', root: 'r' } },
    ])
    const sent = () => createUserAction(store, { surfaceId: 's', nodeId: 'r' }).userAction.context.k
    expect(sent()).toBe('y')
    store.setData('s', 'x', 'z')
    expect(sent()).toBe('z')
  })

  test('SP-59: an error keeps its cause', () => {
    expect(() => parseMessage('{')).toThrow(
      expect.objectContaining({ code: 'malformed_json', cause: expect.any(SyntaxError) }),
    )
  })

  test('SP-58: duplicates are warnings in tolerant mode', () => {
    const messages = [
      update({ id: 'a', component: { Divider: {} } }, { id: 'a', component: { Divider: {} } }),
      {
        dataModelUpdate: {
          surfaceId: 's',
          contents: [
            { key: 'k', valueNumber: 1 },
            { key: 'k', valueNumber: 2 },
          ],
        },
      },
    ]
    expect(codes(validateMessages(messages))).toEqual(['error duplicate_id', 'error duplicate_key'])
    expect(codes(validateMessages(messages, { mode: 'tolerant' }))).toEqual([
      'warning duplicate_id',
      'warning duplicate_key',
    ])
  })
})

describe('trees at their limits', () => {
  test('SP-45 SP-88: as many nodes and levels as allowed, not one more', () => {
    const components = [card('a', 'b'), card('b', 'c'), { id: 'c', component: { Divider: {} } }]
    const grown = (limits: object) => {
      const store = createSurfaceStore({ limits })
      store.applyAll([update(...components), begin])
      return store
    }
    for (const limit of ['treeNodes', 'treeDepth']) {
      expect(grown({ [limit]: 3 }).tree('s')).not.toBeNull()
      expect(() => grown({ [limit]: 2 }).tree('s')).toThrow(expect.objectContaining({ limit }))
    }
  })
})

describe('limits', () => {
  test('SP-88 SN-72: the defaults are those of the reference page', () => {
    const page = readFileSync(new URL('../../../docs/reference/surface-limits.md', import.meta.url))
    const rows = String(page).matchAll(/^\| (\w+) +\| ([\d,]+) +\|/gm)
    const listed = Array.from(rows, ([, name, value]) => [name, Number(value?.replaceAll(',', ''))])
    expect(defaultLimits).toEqual(Object.fromEntries(listed))
    expect(Object.isFrozen(defaultLimits)).toBe(true)
  })

  test('SP-88 SP-89: a value of exactly the limit is accepted', () => {
    const divider = (id: string) => ({ id, component: { Divider: {} } })
    const data = (contents: object[], path?: string) => ({
      dataModelUpdate: { surfaceId: 's', contents, ...(path === undefined ? {} : { path }) },
    })
    // Keys and texts by their length, 8 for each scalar and container.
    const sized = data([{ key: 'abc', valueString: 'x' }], 'k')
    const instance = update(divider('ab'))
    const cases: [limit: string, size: number, message: object][] = [
      ['componentsPerMessage', 2, update(divider('a'), divider('b'))],
      ['componentsPerSurface', 2, update(divider('a'), divider('b'))],
      ['idLength', 3, update(divider('abc'))],
      ['idLength', 3, { beginRendering: { surfaceId: 's', root: 'abc' } }],
      ['idLength', 3, update(card('a', 'abc'))],
      ['pathLength', 4, data([], '/abc')],
      ['pathSegments', 2, data([], '/a//b/')],
      ['pathLength', 4, update({ id: 'a', component: { Text: { text: { path: '/a~0' } } } })],
      ['pathLength', 4, update({ id: 'a', component: { Text: { text: { path: '/abc' } } } })],
      ['pathSegments', 2, update({ id: 'a', component: { Text: { text: { path: '/a/b' } } } })],
      ['dataDepth', 2, data([{ key: 'a', valueMap: [{ key: 'b', valueMap: [] }] }])],
      ['dataEntries', 2, data([{ key: 'a', valueMap: [{ key: 'b', valueNumber: 1 }] }])],
      ['dataSize', 8 + 1 + 8 + 3 + 8 + 1, sized],
      ['bufferedSize', 8 + 1 + 8 + 3 + 8 + 1, sized],
      [
        'bufferedSize',
        8 + 'id'.length + 'ab'.length + 8 + 'component'.length + 8 + 'Divider'.length + 8 + 8,
        instance,
      ],
      [
        'bufferedSize',
        8 +
          ('id'.length + 1 + 8) +
          ('weight'.length + 8) +
          ('component'.length + 8 + 'CheckBox'.length + 8) +
          ('label'.length + 8 + 'path'.length + 1 + 8) +
          ('value'.length + 8 + 'literalBoolean'.length + 8) +
          8,
        update({
          id: 'a',
          weight: 1,
          component: { CheckBox: { label: { path: 'x' }, value: { literalBoolean: true } } },
        }),
      ],
    ]
    for (const [limit, size, message] of cases) {
      const apply = (value: number) =>
        createSurfaceStore({ limits: { [limit]: value } }).apply(message)
      expect([limit, codes(apply(size).diagnostics)]).toEqual([
        limit,
        'beginRendering' in message ? ['warning begin_before_root'] : [],
      ])
      expect(apply(size - 1)).toMatchObject({
        applied: false,
        diagnostics: [{ code: 'limit_exceeded', limit }],
      })
    }
  })
})

describe('limits of reading and storing', () => {
  test('SP-88: entries are counted as they are read, also with duplicate keys', () => {
    const contents = [1, 2, 3].map((valueNumber) => ({ key: 'a', valueNumber }))
    const message = { dataModelUpdate: { surfaceId: 's', contents } }
    const limits = { dataEntries: 2 }
    expect(validateMessage(message, { limits }).diagnostics).toMatchObject([
      { code: 'limit_exceeded', limit: 'dataEntries' },
    ])
  })

  test('SP-88 SP-89: the size of a surface is recounted when it changes', () => {
    const store = createSurfaceStore({ limits: { bufferedSize: 100 } })
    const message = update({ id: 'a', component: { Divider: {} } })
    for (let n = 0; n < 3; n += 1) expect(store.apply(message).applied).toBe(true)
  })
})

describe('errors', () => {
  test('SP-60: quotations have no control characters and no line separators', () => {
    for (const character of ['\0', '\u001f', '\u007f', '\u009f', '\u2028', '\u2029']) {
      const { diagnostics } = validateMessage({ [`a${character}b`]: 1, deleteSurface: {} })
      expect(diagnostics.map(({ message }) => message.includes('"a?b"'))).toContain(true)
    }
  })

  test('SP-60: the status of each code', () => {
    const special: Record<string, number> = {
      surface_not_found: 404,
      component_not_found: 404,
      malformed_json: 400,
      invalid_utf8: 400,
      truncated_line: 400,
      malformed_message: 400,
      malformed_program: 400,
      limit_exceeded: 413,
      resume_gap: 410,
      channel_closed: 409,
      too_slow: 408,
      surface_exists: 409,
      call_not_found: 404,
      call_duplicate: 409,
      call_timeout: 504,
      call_cancelled: 499,
      call_failed: 502,
    }
    for (const code of surfaceErrorCodes) {
      expect([code, new SurfaceError({ code, detail: 'x' }).status]).toEqual([
        code,
        special[code] ?? 422,
      ])
    }
  })

  test('SP-61: an error for a peer is a valid client message', () => {
    const store = createSurfaceStore()
    const [found] = store.apply(update({ id: 'x', component: { Nope: {} } })).diagnostics
    const error = found === undefined ? null : formatClientError(found)
    expect(error).toEqual({
      error: {
        code: 'invalid_component_type',
        message: found?.message,
        surfaceId: 's',
        path: '/surfaceUpdate/components/0/component/Nope',
        componentId: 'x',
      },
    })
    expect(validateClientMessage(error)).toEqual({ message: error, diagnostics: [] })
  })
})

describe('actions', () => {
  const names = ['__proto__', 'constructor']
  const context = names.map((key) => ({ key, value: { path: key } }))
  const button = { Button: { child: 't', action: { name: 'go', context } } }
  const store = createSurfaceStore()
  store.applyAll([update({ id: 'a', component: button }), begin])
  const now = new Date('2026-01-05T08:00:00Z')
  const options = { surfaceId: 's', nodeId: 'a', now }

  test('SP-32 SP-63 SP-64a: context keys of any name are own keys', () => {
    const { userAction } = createUserAction(store, options)
    expect(Object.keys(userAction.context)).toEqual(names)
    expect(Object.getPrototypeOf(userAction.context)).toBe(Object.prototype)
    expect(checkUserAction(store, userAction)).toEqual([])
  })

  test('SP-64: a timestamp may be as far away as allowed, before and after', () => {
    const { userAction } = createUserAction(store, options)
    const at = (offset: number) =>
      checkUserAction(store, userAction, {
        maxSkewMs: 1000,
        now: new Date(now.getTime() + offset),
      }).map(({ code, path }) => `${code} ${path}`)
    expect([...at(1000), ...at(-1000)]).toEqual([])
    expect(at(1001)).toEqual(['invalid_value /userAction/timestamp'])
    expect(at(-1001)).toEqual(['invalid_value /userAction/timestamp'])
    expect(checkUserAction(store, { ...userAction, timestamp: '1999-01-01T00:00:00Z' })).toEqual([])
  })
})
