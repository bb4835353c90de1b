import { isSurfaceError } from '../diagnostics/errors.ts'
import { isPlainObject } from '../json.ts'
import { detectVersion } from '../interop/detect-version.ts'
import type { ExtractedPart } from './extracted-part.ts'
import { repairJson, type RepairedJson } from './repair-json.ts'

type MessagePart = Extract<ExtractedPart, { kind: 'message' }>

/** The messages of a fence: one, a list, or one per line; empty if it contains anything else (SP-83). */
export function messagesInFence(content: string): MessagePart[] {
  const whole = tryRepair(content)
  if (whole !== null) return asMessages(whole)
  const messages: MessagePart[] = []
  for (const line of content.split('\n')) {
    if (line.trim() === '') continue
    const repaired = tryRepair(line)
    const found = repaired === null ? [] : asMessages(repaired)
    if (found.length === 0) return []
    for (const message of found) messages.push(message)
  }
  return messages
}

function asMessages({ value, repairs }: RepairedJson): MessagePart[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!list.every((one) => isPlainObject(one) && detectVersion(one) !== null)) return []
  return list.map((message) => ({ kind: 'message', message, repairs }))
}

function tryRepair(text: string): RepairedJson | null {
  try {
    return repairJson(text)
  } catch (error) {
    if (isSurfaceError(error)) return null
    throw error
  }
}
