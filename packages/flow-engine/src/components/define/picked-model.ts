import { isObject } from '@x/wire'
import { isChatModel, isEmbedder, type ChatModel, type Embedder } from '../../models/chat-model.ts'

/** A model selected from a list. */
export interface ModelChoice {
  readonly name: string
  /** "" if the selection is a plain name. */
  readonly provider: string
  /** True if the selection is a plain model name, whose provider must be looked up. */
  readonly plain: boolean
  /** True if the model is a reasoning model, which accepts no temperature. */
  readonly reasons: boolean
}

/** The value of a model picker: a connected model, a selection, or null if nothing is selected. */
export type PickedModel = ChatModel | Embedder | ModelChoice | null

/** Reads the model or selection from a picker's value; null for any other value. */
export function readPicked(value: unknown): PickedModel {
  if (isChatModel(value) || isEmbedder(value)) return value
  if (Array.isArray(value)) return value.length === 0 ? null : readPicked(value[0])
  if (typeof value === 'string') return readName(value)
  return isObject(value) ? readChoice(value) : null
}

export function isModelChoice(value: PickedModel): value is ModelChoice {
  return value !== null && 'plain' in value
}

const CONNECT = 'connect_other_models'

function readName(text: string): ModelChoice | null {
  const name = text.trim()
  if (name === '' || name === CONNECT) return null
  return { name, provider: '', plain: true, reasons: false }
}

function readChoice({ name, provider, metadata }: Record<string, unknown>): ModelChoice | null {
  if (typeof name !== 'string' || name.trim() === '') return null
  return {
    name,
    provider: typeof provider === 'string' ? provider.trim() : '',
    plain: false,
    reasons: isObject(metadata) && reasons(name, metadata),
  }
}

function reasons(name: string, metadata: Record<string, unknown>): boolean {
  const { reasoning, reasoning_models: models } = metadata
  return reasoning === true || (Array.isArray(models) && models.includes(name))
}
