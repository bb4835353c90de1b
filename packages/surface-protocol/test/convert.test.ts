import { describe, expect, test } from 'vitest'
import {
  checkUserAction,
  createSurfaceStore,
  createUserAction,
  diffSurface,
  formatClientError,
  parseClientMessage,
  standardCatalogV08,
  validateClientMessage,
  type ServerMessage,
  type SurfaceDiagnostic,
} from '@x/surface-protocol'
import { renderSurfaceHtml } from '@x/surface-protocol/html'
import {
  A2UI_MIME_TYPE,
  convertToV08,
  convertToV09,
  createV09Adapter,
  detectVersion,
  fromDataPart,
  toDataPart,
} from '@x/surface-protocol/interop'
import {
  createMessageExtractor,
  extractMessages,
  formatCatalogPrompt,
  repairJson,
} from '@x/surface-protocol/llm'
import { createTestRuntime, formatTree, generateSurface } from '@x/surface-protocol/testing'

const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const begin = (root: string) => ({ beginRendering: { surfaceId: 's', root } })

describe('user actions', () => {
  const store = createSurfaceStore()
  const context = [
    { key: 'nick', value: { path: 'nick' } },
    { key: 'club', value: { path: '/club' } },
    { key: 'hard', value: { literalBoolean: true } },
  ]
  store.applyAll([
    update(
      {
        id: 'r',
        component: { List: { children: { template: { componentId: 'who', dataBinding: '/p' } } } },
      },
      { id: 'who', component: { Button: { child: 'label', action: { name: 'kick', context } } } },
      { id: 'label', component: { Text: { text: { path: 'nick' } } } },
    ),
    begin('r'),
  ])
  store.setData('s', '/p', { p9: { nick: 'Zoe' } })
  const now = new Date('2026-01-05T08:00:00.000Z')

  test('SP-63: an action carries its context from the scope of the instance', () => {
    const { userAction } = createUserAction(store, { surfaceId: 's', nodeId: 'who:p9', now })
    expect(userAction).toEqual({
      name: 'kick',
      surfaceId: 's',
      sourceComponentId: 'who',
      timestamp: '2026-01-05T08:00:00.000Z',
      context: { nick: 'Zoe', club: null, hard: true },
    })
    expect(checkUserAction(store, userAction, { maxSkewMs: 1000, now })).toEqual([])
    expect(() => createUserAction(store, { surfaceId: 'x', nodeId: 'who' })).toThrow(
      expect.objectContaining({ code: 'surface_not_found' }),
    )
    expect(() => createUserAction(store, { surfaceId: 's', nodeId: 'label:p9' })).toThrow(
      expect.objectContaining({ code: 'not_actionable', surfaceId: 's', componentId: 'label' }),
    )
  })

  test('SP-64 SP-64a: invalid actions', () => {
    const { userAction } = createUserAction(store, { surfaceId: 's', nodeId: 'who:p9', now })
    const found = (changes: object) =>
      checkUserAction(store, { ...userAction, ...changes }, { maxSkewMs: 10, now }).map(
        ({ code }) => code,
      )
    expect(found({ surfaceId: '__proto__' })).toEqual(['surface_not_found'])
    expect(found({ sourceComponentId: 'constructor' })).toEqual(['component_not_found'])
    expect(found({ sourceComponentId: 'who:p9' })).toEqual([])
    expect(found({ sourceComponentId: 'label' })).toEqual(['not_actionable'])
    expect(found({ name: 'other' })).toEqual(['action_not_declared'])
    expect(found({ context: { nick: 1, club: 1, more: 1 } })).toEqual([
      'context_mismatch',
      'context_mismatch',
    ])
    for (const timestamp of ['2026-01-05T08:00:01Z', 'now', 1]) {
      expect(found({ timestamp })).toEqual(['invalid_value'])
    }
  })

  test('SP-61 SP-62: client messages', () => {
    const userAction = {
      name: 'x',
      surfaceId: 's',
      sourceComponentId: 'b',
      timestamp: '2026-02-28T08:00:00+01:00',
      context: {},
      more: 1,
    }
    expect(validateClientMessage({ userAction }).message).toEqual({ userAction })
    for (const timestamp of ['2026-02-30T08:00:00Z', '2026-02-28T08:00:00', 'yesterday']) {
      expect(
        validateClientMessage({ userAction: { ...userAction, timestamp } }).diagnostics,
      ).toMatchObject([{ code: 'invalid_value', path: '/userAction/timestamp' }])
    }
    expect(
      validateClientMessage({ userAction, deleteSurface: { surfaceId: 's' } }).message,
    ).toBeNull()
    expect(validateClientMessage({ userAction, error: {} }).diagnostics).toMatchObject([
      { code: 'malformed_message' },
    ])
    const error = formatClientError({
      code: 'invalid_type',
      severity: 'error',
      message: 'x',
      path: '/a',
    })
    expect(parseClientMessage(JSON.stringify(error))).toEqual(error)
  })
})

describe('interop', () => {
  test('SP-79: A2A parts', () => {
    const message = { deleteSurface: { surfaceId: 's' } }
    expect(toDataPart(message)).toEqual({
      kind: 'data',
      data: message,
      metadata: { mimeType: A2UI_MIME_TYPE },
    })
    expect(fromDataPart(toDataPart(message))).toEqual([message])
    expect(
      fromDataPart({ data: [message], metadata: { mimeType: 'application/a2ui+json' } }),
    ).toEqual([message])
    expect(fromDataPart({ kind: 'text', text: 'x' })).toBeNull()
    expect(fromDataPart({ ...toDataPart(message), kind: 'file' })).toBeNull()
    expect(detectVersion({ version: 'v0.9', deleteSurface: {} })).toBe('0.9')
  })

  test('SP-80 SP-81: buffered until it begins, the root is called root', () => {
    const adapter = createV09Adapter()
    const components = [
      { id: 'page', component: { Column: { children: { explicitList: ['t'] } } } },
      { id: 't', component: { Text: { text: { literalString: 'Hi' }, usageHint: 'h1' } } },
    ]
    expect(adapter.push({ surfaceUpdate: { surfaceId: 's', components } })).toEqual([])
    expect(adapter.push({ beginRendering: { surfaceId: 's', root: 'page' } })).toEqual([
      {
        version: 'v0.9',
        createSurface: {
          surfaceId: 's',
          catalogId: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
        },
      },
      {
        version: 'v0.9',
        updateComponents: {
          surfaceId: 's',
          components: [
            { id: 'root', component: 'Column', children: ['t'] },
            { id: 't', component: 'Text', text: 'Hi', variant: 'h1' },
          ],
        },
      },
    ])
    const contents = [{ key: 'a', valueNumber: 1 }]
    expect(adapter.push({ dataModelUpdate: { surfaceId: 's', path: 'm', contents } })).toEqual([
      { version: 'v0.9', updateDataModel: { surfaceId: 's', path: '/m/a', value: 1 } },
    ])
  })

  test('SP-82: there and back again gives the same tree', () => {
    for (let seed = 0; seed < 60; seed += 1) {
      const messages = diffSurface(null, generateSurface(seed))
      const there = convertToV09(messages)
      const back = convertToV08(there.messages)
      const [before, after] = [createSurfaceStore(), createSurfaceStore()]
      before.applyAll(messages)
      const results = after.applyAll(back.messages)
      expect(
        results.flatMap(({ diagnostics }) =>
          diagnostics.filter(({ severity }) => severity === 'error'),
        ),
      ).toEqual([])
      // What a template iterates is a list there, whose keys are positions.
      const keys = (text: string) => text.replaceAll(/template:[^"\s]*/g, 'template')
      expect(keys(formatTree(after.tree(`surface-${seed}`)))).toBe(
        keys(formatTree(before.tree(`surface-${seed}`))),
      )
    }
  })

  test('SP-82: features that 0.8 lacks are reported', () => {
    const { messages, diagnostics } = convertToV08([
      { createSurface: { surfaceId: 's', catalogId: 'urn:x', sendDataModel: true } },
      { updateDataModel: { surfaceId: 's', path: '/list', value: ['a', 'b'] } },
      {
        updateComponents: {
          surfaceId: 's',
          components: [
            { id: 'root', component: 'Text', text: { call: 'formatString' }, checks: [] },
          ],
        },
      },
      { updateDataModel: { surfaceId: 's', path: '/list' } },
    ])
    expect(messages.map((message) => Object.keys(message)[0])).toEqual([
      'dataModelUpdate',
      'surfaceUpdate',
      'beginRendering',
      'dataModelUpdate',
    ])
    expect(messages[0]).toMatchObject({
      dataModelUpdate: { contents: [{ key: 'list', valueMap: [{ key: '0' }, { key: '1' }] }] },
    })
    expect(messages[3]).toEqual({ dataModelUpdate: { surfaceId: 's', contents: [] } })
    expect(diagnostics.every(({ code }) => code === 'lossy_conversion')).toBe(true)
    expect(diagnostics).toHaveLength(3)
  })
})

describe('text of a model', () => {
  const deleted = '{"deleteSurface":{"surfaceId":"inbox"}}'

  test('SP-83: text, message, text', () => {
    expect(
      extractMessages(
        'Sure! <a2ui-json>[{"deleteSurface":{"surfaceId":"inbox"},}]</a2ui-json> Done.',
      ),
    ).toEqual([
      { kind: 'text', text: 'Sure!' },
      {
        kind: 'message',
        message: { deleteSurface: { surfaceId: 'inbox' } },
        repairs: ['trailing comma'],
      },
      { kind: 'text', text: 'Done.' },
    ])
  })

  test('SP-83: any cut gives the same parts', () => {
    const source = `One <b>two</b>\n\`\`\`json\n${deleted}\n\`\`\`\nthree \`\`\`js\nlet a = {}\n\`\`\`\n<a2ui-json>\n\`\`\`json\n[${deleted}, ${deleted}]\n\`\`\`\n</a2ui-json>\nend < done`
    const whole = extractMessages(source)
    expect(whole.map(({ kind }) => kind)).toEqual([
      'text',
      'message',
      'text',
      'message',
      'message',
      'text',
    ])
    for (let cut = 0; cut <= source.length; cut += 1) {
      const extractor = createMessageExtractor()
      const parts = [
        ...extractor.push(source.slice(0, cut)),
        ...extractor.push(source.slice(cut)),
        ...extractor.end(),
      ]
      const joined = parts
        .map((part) => (part.kind === 'text' ? part.text : JSON.stringify(part)))
        .join('')
      expect(joined).toBe(
        whole.map((part) => (part.kind === 'text' ? part.text : JSON.stringify(part))).join(''),
      )
    }
  })

  test('SP-83: quotes and brackets within a string end nothing', () => {
    const message = { deleteSurface: { surfaceId: 'a\\"}"\\' } }
    expect(extractMessages(`<a2ui-json>${JSON.stringify(message)}</a2ui-json>`)).toEqual([
      { kind: 'message', message, repairs: [] },
    ])
  })

  test('SP-83: messages are emitted as soon as they are complete, text without delay', () => {
    const extractor = createMessageExtractor()
    expect(extractor.push('Hello wor')).toEqual([{ kind: 'text', text: 'Hello wor' }])
    expect(extractor.push('ld  <a2ui')).toEqual([{ kind: 'text', text: 'ld' }])
    expect(extractor.push(`-json>${deleted}`)).toMatchObject([{ kind: 'message' }])
    expect(extractor.push('</a2ui-json>x')).toEqual([{ kind: 'text', text: 'x' }])
  })

  test('SP-83: fences without a message and tags without JSON stay text', () => {
    for (const source of [
      '```json\n{"a":1}\n```\n',
      'x <a2ui-json> not json',
      '```\ncode\n```',
      `\`\`\`\n${deleted}\n{"a":1}\n\`\`\`\n`,
    ]) {
      expect(extractMessages(source)).toEqual([{ kind: 'text', text: source }])
    }
    expect(extractMessages('<a2ui-json>nothing</a2ui-json>')).toMatchObject([
      { kind: 'error', code: 'malformed_json' },
    ])
    expect(extractMessages('<a2ui-json>{"deleteSurface":{"surfaceId":"a"}')).toMatchObject([
      { kind: 'message', repairs: ['missing bracket'] },
    ])
  })

  test('SP-84: repairs outside strings only', () => {
    expect(repairJson('{"a":[1,2,],}')).toEqual({
      value: { a: [1, 2] },
      repairs: ['trailing comma'],
    })
    expect(repairJson('{\u201ca\u201d: \u201cb\u201d}')).toEqual({
      value: { a: 'b' },
      repairs: ['typographic quotes'],
    })
    expect(repairJson('{"a": 1 // note\n, /* more */ "b": "x,]\u201d//"')).toEqual({
      value: { a: 1, b: 'x,]\u201d//' },
      repairs: ['comment', 'missing bracket'],
    })
    expect(repairJson('{"a":"say \u201chi,]\u201d"}').repairs).toEqual([])
    const [a, b] = [{ a: 1 }, { b: 2 }]
    expect(repairJson('{"a":1}, {"b":2,}')).toEqual({
      value: [a, b],
      repairs: ['trailing comma', 'missing list'],
    })
    expect(repairJson('null // nothing')).toEqual({ value: null, repairs: ['comment'] })
    for (const text of ['', ' ', '/* nothing */']) {
      expect(() => repairJson(text)).toThrow(expect.objectContaining({ code: 'malformed_json' }))
    }
    expect(repairJson('{a:1}')).toEqual({ value: { a: 1 }, repairs: ['unquoted key'] })
  })

  test('SP-85: the prompt tells of types and rules', () => {
    const prompt = formatCatalogPrompt(standardCatalogV08, { types: ['Text', 'Button'] })
    expect(prompt).toContain('- Text: text*: text; usageHint: h1|h2')
    expect(prompt).not.toContain('Slider')
    expect(formatCatalogPrompt(standardCatalogV08)).toBe(formatCatalogPrompt(standardCatalogV08))
  })
})

describe('renderSurfaceHtml', () => {
  const render = (component: object, options = {}) => {
    const store = createSurfaceStore()
    store.applyAll([update({ id: 'r', component }), begin('r')])
    return renderSurfaceHtml(store, 's', options)
  }

  test('SP-86: semantic HTML without script', () => {
    expect(render({ Text: { text: { literalString: 'Hi' }, usageHint: 'h2' } })).toBe(
      '<h2 class="sf-text" data-id="r">Hi</h2>',
    )
    expect(render({ Button: { child: 'x', action: { name: 'go' } } })).toBe(
      '<button class="sf-button" data-id="r" type="button" data-action="go"><div class="sf-pending" data-id="x"></div></button>',
    )
    for (let seed = 0; seed < 20; seed += 1) {
      const store = createSurfaceStore()
      store.applyAll(diffSurface(null, generateSurface(seed)))
      expect(renderSurfaceHtml(store, `surface-${seed}`, { document: true })).toMatch(
        /^<!doctype html>[^]*<\/html>\n$/,
      )
    }
  })

  test('SP-87: nothing of the input becomes markup', () => {
    expect(
      render({
        Text: { text: { literalString: '<img src=x onerror="a">\'& **b** *i* `c` [l](http://x)' } },
      }),
    ).toBe(
      '<p class="sf-text" data-id="r">&lt;img src=x onerror=&quot;a&quot;&gt;&#39;&amp; <strong>b</strong> <em>i</em> <code>c</code> [l](http://x)</p>',
    )
    expect(
      render({ TextField: { label: { literalString: 'x' }, validationRegexp: '">' } }),
    ).toContain('pattern="&quot;&gt;"')
  })

  test('SP-87: only some URLs are shown', () => {
    const found: SurfaceDiagnostic[] = []
    const image = (url: string, options = {}) =>
      render(
        { Image: { url: { literalString: url } } },
        { ...options, onDiagnostic: (one: SurfaceDiagnostic) => found.push(one) },
      )
    expect(image('https://host.example/a.png')).toContain('src="https://host.example/a.png"')
    for (const url of [
      'javascript:alert(1)',
      'java\nscript:alert(1)',
      '//host.example/a',
      'data:image/svg+xml,x',
      'a.png',
      '\u0001https:x',
    ]) {
      expect(image(url)).toMatch(/data-unsafe-url/)
    }
    expect(found.every(({ code }) => code === 'unsafe_url')).toBe(true)
    expect(image('a/b.png', { relativeUrls: true })).toContain('src="a/b.png"')
    expect(image('/\\host.example', { relativeUrls: true })).toContain('data-unsafe-url')
    expect(image('data:image/png;base64,AA==', { dataImages: true })).toContain(
      'src="data:image/png',
    )
  })
})

describe('testing', () => {
  test('SP-1: time comes from the runtime', async () => {
    const runtime = createTestRuntime({ start: new Date(0) })
    const slept = runtime.sleep(5).then(() => runtime.now().getTime())
    await runtime.advance(5)
    expect(await slept).toBe(5)
  })
  test('generated surfaces are valid and the same for the same seed', () => {
    const messages: ServerMessage[] = diffSurface(null, generateSurface(5, { components: 50 }))
    expect(
      createSurfaceStore()
        .applyAll(messages)
        .every(({ applied }) => applied),
    ).toBe(true)
    expect(generateSurface(5)).toEqual(generateSurface(5))
  })
})
