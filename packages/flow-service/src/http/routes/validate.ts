import {
  CodeCheck,
  CodeReport,
  PromptCheck,
  promptNodeToWire,
  PromptReport,
  templateOf,
} from '../../wire/validate.ts'
import { route, type Route } from '../route/route.ts'

export const validateRoutes: readonly Route[] = [
  route(
    {
      method: 'POST',
      path: '/api/v1/validate/code',
      summary: 'Post Validate Code',
      auth: 'user',
      body: CodeCheck,
      output: CodeReport,
    },
    async ({ services, body }) => {
      const { imports, syntax } = await services.validate.code(body.code)
      return { imports: { errors: [...imports] }, function: { errors: [...syntax] } }
    },
  ),
  route(
    {
      method: 'POST',
      path: '/api/v1/validate/prompt',
      summary: 'Post Validate Prompt',
      auth: 'user',
      body: PromptCheck,
      output: PromptReport,
    },
    ({ services, body: { name, template, frontend_node: node, mustache } }) => {
      if (node === null) return { input_variables: [], frontend_node: null }
      const before = { template: templateOf(node), customFields: node.custom_fields }
      const update = services.validate.prompt(before, name, template, {
        mustache: mustache === true,
      })
      return { input_variables: update.variables, frontend_node: promptNodeToWire(node, update) }
    },
  ),
]
