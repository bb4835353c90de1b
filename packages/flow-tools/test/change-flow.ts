import type { FlowJson } from '@x/flow-engine'
import { supportFlow } from './flows.ts'

/** The flow after a change of values, by node and field. */
export function changed(
  values: Readonly<Record<string, unknown>>,
  flow: FlowJson = supportFlow(),
): FlowJson {
  for (const [place, value] of Object.entries(values)) {
    const [id, field = ''] = place.split('.')
    const node = flow.data?.nodes?.find((one) => one.id === id)
    Object.assign(node?.data.node.template[field] ?? {}, { value })
  }
  return flow
}
