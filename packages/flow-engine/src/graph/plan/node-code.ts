import { codeHash, codeText } from '../../components/registry/catalogue.ts'
import type { Component } from '../../components/define/component.ts'
import { isScript, languageOf } from '../../components/node/code-language.ts'
import { plainCode } from '../../components/node/plain-code.ts'
import { referenceType, typeOfPlainCode } from '../../components/node/reference-code.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import { own, ownObject, ownText, type PlainObject } from '@x/wire'

/**
 * Classification of a node's code field. `stock`: the code shipped with the component. `script`:
 * custom TypeScript or JavaScript. `changed`: Python that was written or edited; its source may be missing.
 */
export type NodeCode =
  | {
      readonly kind: 'stock'
      /** False for code of other versions, and if nothing tells whether the code was edited. */
      readonly released: boolean
    }
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'changed'; readonly text?: string | undefined }

const STOCK: NodeCode = { kind: 'stock', released: true }
const UNKNOWN: NodeCode = { kind: 'stock', released: false }

/**
 * Classifies the code of a node. Code is stock if its hash matches the component's own source or released
 * code, or if it equals the code the node was exported with, since nodes of another reference version
 * are not edited. Other nodes edited in the reference are marked by `edited` or a module below `custom_components`.
 */
export function readNodeCode(
  details: PlainObject,
  component: Component | undefined,
  registry: Pick<ComponentRegistry, 'get'>,
): NodeCode {
  const text = ownText(ownObject(ownObject(details, 'template') ?? {}, 'code') ?? {}, 'value')
  const metadata = ownObject(details, 'metadata') ?? {}
  const exported = ownText(metadata, 'code_hash')
  const hash = text === undefined || text.trim() === '' ? undefined : hashOfText(text)
  const isStock = isStockHash(hash ?? exported, component, registry)
  const isReleased = hash !== undefined && isSame(text ?? '', component, registry)
  if (text !== undefined && hash !== undefined && !isStock && isScript(text)) {
    return { kind: 'script', text }
  }
  const changed: NodeCode = { kind: 'changed', text }
  if (own(details, 'edited') === true && !isReleased) return changed
  if (isStock) return STOCK
  // What other versions released may have had other outputs: those with edges decide.
  if (isReleased) return UNKNOWN
  // Unknown types, and custom components created from the template, consist of their code alone.
  const isOwn = component === undefined || component.type === 'CustomComponent'
  if (isOwn && text !== undefined && languageOf(text) === 'python') return changed
  const isCustom = ownText(metadata, 'module')?.startsWith('custom_components.') === true
  if (isCustom || belongsToOther(hash ?? exported, component, registry)) return changed
  const differs = hash !== undefined && exported !== undefined && hash !== exported
  if (differs) return changed
  return exported === undefined && hash !== undefined ? UNKNOWN : STOCK
}

/** True for code that some version released, but for blanks, comments and names of the package. */
function isSame(
  text: string,
  component: Component | undefined,
  registry: Pick<ComponentRegistry, 'get'>,
): boolean {
  if (component === undefined || text.length > MAX_LENGTH || isScript(text)) return false
  return registry.get(typeOfPlainCode(codeHash(plainCode(text))) ?? '') === component
}

function isStockHash(
  hash: string | undefined,
  component: Component | undefined,
  registry: Pick<ComponentRegistry, 'get'>,
): boolean {
  if (hash === undefined || component === undefined) return false
  return hash === hashOf(component) || registry.get(referenceType(hash) ?? '') === component
}

/** True for the code of another component: the name of the node does not say what its code does. */
function belongsToOther(
  hash: string | undefined,
  component: Component | undefined,
  registry: Pick<ComponentRegistry, 'get'>,
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

const MAX_LENGTH = 1024 * 1024

/** Code this long cannot be stock code, so hashing it would be wasted time. */
function hashOfText(text: string): string {
  return text.length > MAX_LENGTH ? 'too long' : codeHash(text)
}
