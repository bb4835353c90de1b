import type { MessageRecord } from '@x/flow-engine'
import type { FileLinks } from '../files/file-links.ts'
import type { FlowMessagePart, StoredUIMessage } from './flow-ui-message.ts'

/** A stored message that no turn of the doors has written. */
export function storedMessages(
  { id, sender, text, files, error }: MessageRecord,
  links: FileLinks,
): StoredUIMessage[] {
  const shown = files.map((path): FlowMessagePart => ({ type: 'file', ...links.link(path) }))
  if (error || (text === '' && files.length === 0)) return []
  if (sender === 'User') {
    const said = text === '' ? [] : [{ type: 'text', text }]
    return [{ id, role: 'user', parts: [...shown, ...said] }]
  }
  const said = text === '' ? [] : [{ type: 'text', text, state: 'done' }]
  return [{ id, role: 'assistant', parts: [{ type: 'step-start' }, ...said, ...shown] }]
}
