import { codeHash, codeText } from '../../components/registry/catalogue.ts'
import type { Component } from '../../components/define/component.ts'
import { isScript, languageOf } from '../../components/node/code-language.ts'
import { referenceType } from '../../components/node/reference-code.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import { own, ownObject, ownText, type PlainObject } from '../flow/plain-object.ts'

/**
 * The code field of a node (FE-42): `stock` is the text that came with the component, `script` is
 * custom TypeScript or JavaScript, `changed` is Python that was written or edited; its text may be
 * missing.
 */
export type NodeCode =
  | { readonly kind: 'stock' }
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'changed'; readonly text?: string | undefined }

const STOCK: NodeCode = { kind: 'stock' }

/**
 * Reads the code of a node. A text is stock when its hash is that of the component's own text or of
 * the reference's, and also when it is the one the node was exported with: a node of another version
 * of the reference is not an edited one. Nodes edited in the reference say so by `edited` or by a
 * module below `custom_components`.
 */
export function readNodeCode(
  details: PlainObject,
  component: Component | undefined,
  registry: ComponentRegistry,
): NodeCode {
  const text = ownText(ownObject(ownObject(details, 'template') ?? {}, 'code') ?? {}, 'value')
  const metadata = ownObject(details, 'metadata') ?? {}
  const exported = ownText(metadata, 'code_hash')
  const hash = text === undefined || text.trim() === '' ? undefined : hashOfText(text)
  const isStock = isStockHash(hash ?? exported, component, registry)
  if (text !== undefined && hash !== undefined && !isStock && isScript(text)) {
    return { kind: 'script', text }
  }
  const changed: NodeCode = { kind: 'changed', text }
  if (own(details, 'edited') === true) return changed
  if (isStock) return STOCK
  // The code is all there is: for an unknown type, and for a custom component begun from the
  // template.
  const isOwn = component === undefined || component.type === 'CustomComponent'
  if (isOwn && text !== undefined && languageOf(text) === 'python') return changed
  const isCustom = ownText(metadata, 'module')?.startsWith('custom_components.') === true
  if (isCustom || belongsToOther(hash ?? exported, component, registry)) return changed
  const differs = hash !== undefined && exported !== undefined && hash !== exported
  return differs ? changed : STOCK
}

function isStockHash(
  hash: string | undefined,
  component: Component | undefined,
  registry: ComponentRegistry,
): boolean {
  if (hash === undefined || component === undefined) return false
  return hash === hashOf(component) || registry.get(referenceType(hash) ?? '') === component
}

/** The text of another component: what the node is called is not what it was made to do. */
function belongsToOther(
  hash: string | undefined,
  component: Component | undefined,
  registry: ComponentRegistry,
): boolean {
  const type = hash === undefined ? undefined : referenceType(hash)
  const other = type === undefined ? undefined : registry.get(type)
  return other !== undefined && component !== undefined && other !== component
}

const hashes = new WeakMap<Component, string>()

function hashOf(component: Component): string {
  const hash = hashes.get(component) ?? codeHash(codeText(component))
  hashes.set(component, hash)
  return hash
}

const LONGEST = 1024 * 1024

/** A text this long cannot be stock code; hashing it would only take time. */
function hashOfText(text: string): string {
  return text.length > LONGEST ? 'too long' : codeHash(text)
}
