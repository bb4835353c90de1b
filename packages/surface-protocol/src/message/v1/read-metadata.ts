import { copyObject } from '../../data/copy-json.ts'
import { isIdentifier } from '../../data/identifier.ts'
import { quote } from '../../diagnostics/errors.ts'
import type { Report } from '../../diagnostics/report.ts'
import { isPlainObject, type JsonObject } from '../../json.ts'
import { refuseOthers, FATAL } from '../read-member.ts'

/** The member `metadata`, which only contains extensions; null if there is none. */
export function readMetadata(
  { metadata }: Record<string, unknown>,
  report: Report,
): JsonObject | null {
  if (metadata === undefined) return null
  if (!isPlainObject(metadata)) {
    report.must('invalid_type', 'an object', { at: ['metadata'] })
    return null
  }
  report.path.push('metadata')
  refuseOthers(metadata, ['extensions'], report, FATAL)
  checkExtensions(metadata.extensions, report)
  const copy = copyObject(metadata, report)
  report.path.pop()
  return copy
}

function checkExtensions(extensions: unknown, report: Report): void {
  if (extensions === undefined) return
  if (!isPlainObject(extensions)) {
    report.must('invalid_type', 'an object', { at: ['extensions'] })
    return
  }
  for (const name of Object.keys(extensions)) {
    if (isIdentifier(name)) continue
    report.add('invalid_identifier', `The name ${quote(name)} is not an identifier.`, {
      at: ['extensions', name],
    })
  }
}
