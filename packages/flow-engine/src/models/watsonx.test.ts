import { describe, expect, test } from 'vitest'
import { languageModel } from '../components/built-in/models-and-agents/language-model.ts'
import { testComponent } from '../testing/test-component.ts'

describe('IBM watsonx.ai (CO-34)', () => {
  test('exchanges the key for a token, then calls the chat operation of the project', async () => {
    const sent: { url: string; authorization: string | null; body: string }[] = []
    const { value } = await testComponent(languageModel, {
      output: 'text_output',
      inputs: {
        provider: 'IBM watsonx.ai',
        api_key: 'ibm-key',
        project_id: 'p1',
        model_name: 'ibm/granite-3-8b-instruct',
        input_value: 'hi',
      },
      services: {
        async fetch(input, init) {
          const request = new Request(input, init)
          const { url, headers } = request
          sent.push({
            url,
            authorization: headers.get('authorization'),
            body: await request.text(),
          })
          return url.includes('iam.cloud.ibm.com')
            ? Response.json({ access_token: 'tok', expires_in: 3600 })
            : Response.json({ choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }] })
        },
      },
    })

    expect(value).toMatchObject({ text: 'hello' })
    expect(sent[0]?.body).toContain('apikey=ibm-key')
    expect(sent[1]).toMatchObject({
      url: 'https://us-south.ml.cloud.ibm.com/ml/v1/text/chat?version=2024-10-08',
      authorization: 'Bearer tok',
    })
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({
      model_id: 'ibm/granite-3-8b-instruct',
      project_id: 'p1',
      messages: [{ role: 'user', content: 'hi' }],
      temperature: 0.1,
    })
  })

  test('an error of the token request never shows the key', async () => {
    const asking = testComponent(languageModel, {
      output: 'text_output',
      inputs: { provider: 'IBM watsonx.ai', api_key: 'ibm-key', project_id: 'p', input_value: 'x' },
      services: {
        fetch: async () => Response.json({ error: 'bad key ibm-key' }, { status: 400 }),
      },
    })
    await expect(asking).rejects.toThrow('Error code: 400 - bad key *****')
  })
})
