import type { MessageService } from '../../components/define/services.ts'

/**
 * The message history before this request: excludes messages stored by its inputs. Vertices without incoming
 * edges read this, so that the build order does not matter.
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
