import { expect } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'

/** Messages of version 0.9.1 for the surface `s`, and a store that has begun it. */
export const version = '0.9.1'
export const { catalogId } = basicCatalogV09
export const say = (message: object) => ({ version: 'v0.9.1', ...message })
export const create = (surfaceId = 's', more = {}) =>
  say({ createSurface: { surfaceId, catalogId, ...more } })
export const define = (...components: object[]) =>
  say({ updateComponents: { surfaceId: 's', components } })
export const write = (path: string, ...value: unknown[]) =>
  say({
    updateDataModel: { surfaceId: 's', path, ...(value.length > 0 ? { value: value[0] } : {}) },
  })
export const text = (id: string, value: unknown) => ({ id, component: 'Text', text: value })
export const begun = (...messages: object[]) => {
  const store = createSurfaceStore({ version })
  for (const message of [create(), ...messages]) {
    const { diagnostics } = store.apply(message)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  }
  return store
}
export const codesOf = (message: unknown, store = begun()) =>
  store.apply(message).diagnostics.map(({ code, path }) => `${code} ${path}`)
