import { extensionOf } from '@x/wire'
import type { NodeOutput, NodeTemplate } from '@x/flow-engine'
import type { NodeUpdate, RefreshContext } from '@x/flow-engine'
import { isTableFile } from './file-table.ts'

const PARSER_FIELDS = [
  'pipeline',
  'ocr_engine',
  'doc_key',
  'md_image_placeholder',
  'md_page_break_placeholder',
]

/**
 * Returns the outputs for the selected files; with the document parser there are no table
 * outputs.
 */
export function refreshFileNode(
  template: NodeTemplate,
  value: unknown,
  ctx: RefreshContext,
): NodeUpdate {
  const paths = [value].flat().filter((path) => typeof path === 'string' && path !== '') as string[]
  const { advanced_mode: advanced } = template
  const hasTables = paths.some(isTableFile)
  if (advanced !== undefined) advanced.show = !hasTables
  if (hasTables) {
    Object.assign(advanced ?? {}, { value: false })
    for (const name of PARSER_FIELDS) Object.assign(template[name] ?? {}, { show: false })
  }
  return { outputs: outputsFor(paths, ctx) }
}

function outputsFor(paths: readonly string[], ctx: RefreshContext): NodeOutput[] {
  const [only, ...others] = paths
  const message = ctx.output('message')
  if (only === undefined) return [message]
  if (others.length > 0) return [ctx.output('dataframe')]
  if (isTableFile(only)) {
    return [{ ...ctx.output('structured'), name: 'dataframe' }, message, ctx.output('path')]
  }
  const rest = [message, ctx.output('path')]
  return extensionOf(only) === 'json' ? [ctx.output('json'), ...rest] : rest
}
