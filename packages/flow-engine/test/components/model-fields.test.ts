import { describe, expect, test } from 'vitest'
import { agent, languageModel } from '@x/flow-engine/components'
import type { Component } from '@x/flow-engine'
import { createNode } from '../../src/components/node/create-node.ts'
import type { NodeTemplate } from '../../src/graph/flow/node-json.ts'
import { refreshNode } from '../../src/components/node/refresh-node.ts'

const refreshed = async (
  component: Component,
  field: string,
  value: unknown,
): Promise<NodeTemplate> =>
  (await refreshNode(component, createNode(component), { field, value })).data.node.template

describe('model fields in the editor (CO-15)', () => {
  test('LanguageModel: a model without support for system messages hides the field', async () => {
    expect((await refreshed(languageModel, 'model_name', 'o1')).system_message?.show).toBe(false)
    expect((await refreshed(languageModel, 'model_name', 'gpt-4o')).system_message?.show).toBe(true)
  })

  test('LanguageModel: a provider without a key hides the key field and keeps its name', async () => {
    const { api_key: key } = await refreshed(languageModel, 'provider', 'Ollama')
    expect(key).toMatchObject({ show: false, display_name: 'OpenAI API Key' })
  })

  test('Agent: a reasoning model hides temperature and seed', async () => {
    const reasoning = await refreshed(agent, 'model_name', 'o1')
    expect([reasoning.temperature?.show, reasoning.seed?.show]).toEqual([false, false])
    const chatting = await refreshed(agent, 'model_name', 'gpt-4o')
    expect([chatting.temperature?.show, chatting.seed?.show]).toEqual([true, true])
  })

  test('Agent: another provider shows its own fields with their values', async () => {
    const template = await refreshed(agent, 'agent_llm', 'Anthropic')
    expect(template.max_tokens?.value).toBe(4096)
    expect(template.base_url).toMatchObject({ value: 'https://api.anthropic.com' })
    expect(template.model_name).toMatchObject({ refresh_button: true })
    expect(template.seed).toBeUndefined()
    expect(template.tool_model_enabled).toMatchObject({ value: true, advanced: true })
    expect(template.api_key).toMatchObject({ value: '', load_from_db: false })
  })
})
