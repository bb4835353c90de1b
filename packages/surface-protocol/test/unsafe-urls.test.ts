import { describe, expect, test } from 'vitest'
import {
  basicCatalogIds,
  checkUrls,
  createSurfaceStore,
  surfaceUpdate,
  validateMessage,
  validateMessages,
} from '@x/surface-protocol'
import { v1 } from '@x/surface-protocol/v1'

const script = 'javascript:alert(1)'
const [catalogId] = basicCatalogIds
const create = { version: 'v0.9.1', createSurface: { surfaceId: 's', catalogId } }
const update = (...components: object[]) => ({
  version: 'v0.9.1',
  updateComponents: { surfaceId: 's', components },
})
const picture = update({ id: 'root', component: 'Image', url: script })
const old = surfaceUpdate('s', [
  { id: 'a', component: { Image: { url: { literalString: script } } } },
])

describe('SX-37: unsafe URLs', () => {
  test.each([
    ['0.9.1', picture, '/updateComponents/components/0/url'],
    ['0.8', old, '/surfaceUpdate/components/0/component/Image/url'],
  ] as const)('are warnings, or errors when asked for, in %s', (version, message, path) => {
    const judge = (options: object) =>
      validateMessage(message, { version: version as '0.9.1', ...options })
    const finding = { code: 'unsafe_url', path }
    expect(judge({}).message).not.toBeNull()
    expect(judge({}).diagnostics).toMatchObject([{ ...finding, severity: 'warning' }])
    const refused = judge({ unsafeUrls: 'refuse' })
    expect(refused.message).toBeNull()
    expect(refused.diagnostics).toMatchObject([{ ...finding, severity: 'error' }])
    expect(judge({ unsafeUrls: 'allow' }).diagnostics).toEqual([])
    expect(judge({ urlSchemes: { media: ['javascript'] } }).diagnostics).toEqual([])
    expect(() => judge({ unsafeUrls: 'never' })).toThrow(TypeError)
  })

  test('a store warns, or refuses the message and stays as it was', () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    const [, applied] = store.applyAll([create, picture])
    expect(applied).toMatchObject({ applied: true, diagnostics: [{ severity: 'warning' }] })
    const strict = createSurfaceStore({ version: '0.9.1', unsafeUrls: 'refuse' })
    strict.apply(create)
    const before = strict.get('s')
    expect(strict.apply(picture, { line: 7 })).toMatchObject({
      applied: false,
      surfaceId: 's',
      diagnostics: [{ code: 'unsafe_url', severity: 'error', componentId: 'root', line: 7 }],
    })
    expect(strict.get('s')).toEqual(before)
    const allowing = createSurfaceStore({ version: '0.9.1', unsafeUrls: 'allow' })
    expect(allowing.applyAll([create, picture])[1]?.diagnostics).toEqual([])
    expect(() => createSurfaceStore({ unsafeUrls: 'never' as 'warn' })).toThrow(TypeError)
  })

  test('a sequence tells the index of each', () => {
    expect(validateMessages([create, picture], { version: '0.9.1' })).toMatchObject([
      { code: 'unsafe_url', severity: 'warning', index: 1 },
    ])
    const refusing = { version: '0.9.1', unsafeUrls: 'refuse' } as const
    expect(validateMessages([picture], refusing)).toMatchObject([
      { code: 'unsafe_url', severity: 'error', index: 0 },
    ])
  })

  test('the present tree is judged with the values of bindings and calls', () => {
    const store = createSurfaceStore({ version: v1 })
    const components = [
      { id: 'root', component: 'Column', children: ['image', 'text', 'button'] },
      { id: 'image', component: 'Image', url: { '@path': '/picture' } },
      { id: 'text', component: 'Text', text: { '@path': '/text' } },
      { id: 'label', component: 'Text', text: 'Go' },
      {
        id: 'button',
        component: 'Button',
        child: 'label',
        action: { functionCall: { '@call': 'openUrl', args: { url: { '@path': '/link' } } } },
      },
    ]
    const dataModel = { picture: script, text: `[a](${script})`, link: 'https://example.com' }
    const id = 'https://a2ui.org/specification/v1_0/catalogs/basic/catalog.json'
    const message = { surfaceId: 's', catalogId: id, components, dataModel }
    const applied = store.apply({ version: 'v1.0', createSurface: message })
    expect(applied).toMatchObject({ applied: true, diagnostics: [] })
    const found = () => checkUrls(store, 's').map(({ componentId, path }) => [componentId, path])
    expect(found()).toEqual([
      ['image', '/url'],
      ['text', '/text'],
    ])
    store.setData('s', '/link', 'vbscript:x')
    expect(found()).toContainEqual(['button', '/action/functionCall/args/url'])
    expect(checkUrls(store, 's', { unsafeUrls: 'allow' })).toEqual([])
    expect(checkUrls(store, 'none')).toEqual([])
  })
})
