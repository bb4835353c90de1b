import type { MessageService } from '../../components/define/services.ts'

/**
 * The messages as they were before this request: without those its inputs stored. A vertex without
 * incoming edges reads the history so, whichever of the two is built first (CO-41).
 */
export function earlierMessages(
  service: MessageService,
  ownInputs: ReadonlySet<string>,
): MessageService {
  return {
    add: (message) => service.add(message),
    update: (message) => service.update(message),
    remove: (id) => service.remove(id),
    async list(query) {
      const { last } = query
      if (last === undefined) return (await service.list(query)).filter(isEarlier)
      if (last <= 0) return []
      const rows = await service.list({ ...query, last: last + ownInputs.size })
      return rows.filter(isEarlier).slice(-last)
    },
  }

  function isEarlier({ id }: { readonly id: string }): boolean {
    return !ownInputs.has(id)
  }
}
