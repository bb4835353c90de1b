import { z } from 'zod'
import {
  KnowledgeBaseRead,
  KnowledgeBasesDelete,
  knowledgeBaseToWire,
} from '../../wire/knowledge-base.ts'
import { text } from '../../wire/scalars.ts'
import { route, type Route } from '../route/route.ts'

const Name = z.object({ kb_name: text() })
const Message = z.object({ message: text() })
const Deleted = Message.extend({ deleted_count: z.number(), not_found: text().optional() })

export const knowledgeBaseRoutes: readonly Route[] = [
  ...['/api/v1/knowledge_bases', '/api/v1/knowledge_bases/'].flatMap((path) => [
    route(
      {
        method: 'GET',
        path,
        summary: 'List Knowledge Bases',
        auth: 'user',
        output: KnowledgeBaseRead.array(),
      },
      async ({ services, caller }) =>
        (await services.knowledgeBases.list(caller)).map(knowledgeBaseToWire),
    ),
    route(
      {
        method: 'DELETE',
        path,
        summary: 'Delete Knowledge Bases Bulk',
        auth: 'user',
        body: KnowledgeBasesDelete,
        output: Deleted,
      },
      async ({ services, caller, body }) => {
        const { removed, missing } = await services.knowledgeBases.removeAll(caller, body.kb_names)
        return {
          message: `Successfully deleted ${removed} knowledge base(s)`,
          deleted_count: removed,
          ...(missing.length === 0 ? {} : { not_found: missing.join(', ') }),
        }
      },
    ),
  ]),
  route(
    {
      method: 'GET',
      path: '/api/v1/knowledge_bases/{kb_name}',
      summary: 'Get Knowledge Base',
      auth: 'user',
      params: Name,
      output: KnowledgeBaseRead,
    },
    async ({ services, caller, params }) =>
      knowledgeBaseToWire(await services.knowledgeBases.get(caller, params.kb_name)),
  ),
  route(
    {
      method: 'DELETE',
      path: '/api/v1/knowledge_bases/{kb_name}',
      summary: 'Delete Knowledge Base',
      auth: 'user',
      params: Name,
      output: Message,
    },
    async ({ services, caller, params: { kb_name: name } }) => {
      await services.knowledgeBases.remove(caller, name)
      return { message: `Knowledge base '${name}' deleted successfully` }
    },
  ),
]
