// Runs each night (.ci/night).
import type { Embedder } from '@x/flow-engine'
import { isEmbedder } from '@x/flow-engine/models'
import { describe, expect, test } from 'vitest'
import { modelHost } from './model-host.ts'
import { runText, testRunner } from './python-runs.ts'

const runner = testRunner()

describe('LCEmbeddingsModel', () => {
  test.each([
    [
      'langchain_openai',
      'OpenAIEmbeddings(model="e", api_key="k", dimensions=3, chunk_size=9)',
      { provider: 'OpenAI', model: 'e', apiKey: 'k', options: { dimensions: 3, chunkSize: 9 } },
    ],
    [
      'langchain_openai',
      'AzureOpenAIEmbeddings(azure_endpoint="https://a.example", azure_deployment="d", api_key="k")',
      { provider: 'Azure OpenAI', options: { deployment: 'd' } },
    ],
    [
      'langchain_ollama',
      'OllamaEmbeddings(model="o", base_url="http://o.example")',
      { provider: 'Ollama', model: 'o' },
    ],
    ['langchain_cohere', 'CohereEmbeddings(model="c", cohere_api_key="k")', { provider: 'Cohere' }],
    [
      'langchain_google_genai',
      'GoogleGenerativeAIEmbeddings(model="g", google_api_key="k")',
      { provider: 'Google Generative AI' },
    ],
    [
      'langchain_ibm',
      'WatsonxEmbeddings(model_id="w", apikey="k", url="https://i.example", project_id="p")',
      { provider: 'IBM WatsonX', options: { projectId: 'p' } },
    ],
  ])('FF-74: build_embeddings returns %s: %s', async (module, call, expected) => {
    const { more, specs } = modelHost()
    const code = `from lfx.base.embeddings.model import LCEmbeddingsModel
from ${module} import ${call.split('(', 1)[0]}

class Mine(LCEmbeddingsModel):
    def build_embeddings(self):
        return ${call}
`
    const made = await runText(runner, code, { more, method: 'build_embeddings' })
    expect(isEmbedder(made) && (await made.embed(['abc', 'a']))).toEqual([
      [3, 1],
      [1, 1],
    ])
    expect(specs).toMatchObject([expected])
  })

  test('FF-74: embeddings that the author wrote run in the sandbox', async () => {
    const code = `from langflow.base.embeddings.model import LCEmbeddingsModel
from langchain_core.embeddings import Embeddings

class Lengths(Embeddings):
    def __init__(self, by):
        self.by = by

    def embed_documents(self, texts):
        return [[len(text) * self.by] for text in texts]

    def embed_query(self, text):
        return [0.5]

class Mine(LCEmbeddingsModel):
    def build_embeddings(self) -> Embeddings:
        return Lengths(2)
`
    const made = await runText(runner, code, { method: 'build_embeddings' })
    if (!isEmbedder(made)) throw new Error('no embedder')
    expect(await made.embed(['ab', 'abc'])).toEqual([[4], [6]])
    expect(await made.embedQuery?.('x')).toEqual([0.5])
  })

  test('FF-74: embeddings that came over an edge are returned as they are', async () => {
    const given: Embedder = { embed: () => Promise.resolve([[1]]) }
    const code = `from langflow.base.embeddings.model import LCEmbeddingsModel

class Mine(LCEmbeddingsModel):
    def build_embeddings(self):
        return self.given
`
    const options = { method: 'build_embeddings', values: { given } }
    expect(await runText(runner, code, options)).toBe(given)
  })
})

const STORE = `from langchain_chroma import Chroma
from langchain_community.vectorstores import FAISS
from langchain_core.vectorstores import InMemoryVectorStore
from lfx.base.vectorstores.model import LCVectorStoreComponent, check_cached_vector_store
from lfx.schema.data import Data

class Mine(LCVectorStoreComponent):
    built = 0
    inputs = [*LCVectorStoreComponent.inputs]

    @check_cached_vector_store
    def build_vector_store(self):
        self.built += 1
        store = KIND
        store.add_documents([one.to_lc_document() for one in self._prepare_ingest_data()])
        return store
`

const embedding: Embedder = {
  embed: (texts) => Promise.resolve(texts.map((text) => [text.length, text.includes('z') ? 9 : 1])),
}

describe('LCVectorStoreComponent', () => {
  const values = {
    embedding,
    search_query: 'zz',
    number_of_results: 2,
    should_cache_vector_store: true,
  }
  const rows = `[Data(text=one) for one in ["a", "z", "aaaa", "zzz"]]`

  test.each([
    'InMemoryVectorStore(self.embedding)',
    'Chroma(embedding_function=self.embedding)',
    'FAISS(self.embedding)',
  ])('FF-73: search_documents over %s', async (kind) => {
    const code = `${STORE.replace('KIND', kind)}
    def find(self):
        self.ingest_data = ${rows}
        found = self.search_documents()
        return [[one.get_text() for one in found], self.as_dataframe()["text"].tolist(), self.built]
`
    const made = await runText(runner, code, { values, method: 'find' })
    expect(made).toEqual([['zzz', 'z'], ['zzz', 'z'], 1])
  })

  test('FF-73: stores add, score, filter, delete, diversify and retrieve', async () => {
    const code = `${STORE.replace('KIND', 'InMemoryVectorStore(self.embedding)')}
    async def find(self):
        self.ingest_data = ${rows}
        store = self.build_vector_store()
        ids = store.add_texts(["zzzz", "b"], [{"kind": "x"}, {"kind": "y"}])
        store.delete([ids[1]])
        scores = [round(score, 3) for _, score in store.similarity_search_with_score("z", k=2)]
        only = [one.page_content for one in store.similarity_search("z", k=9, filter={"kind": "x"})]
        mixed = [one.page_content for one in store.max_marginal_relevance_search("z", k=2, lambda_mult=0.1)]
        texts = [one.page_content for one in await store.as_retriever(search_kwargs={"k": 1}).ainvoke("z")]
        return [scores, only, mixed, texts, isinstance(store, VectorStore)]
`
    const head = 'from langflow.field_typing import VectorStore\n'
    const made = await runText(runner, head + code, { values, method: 'find' })
    expect(made).toEqual([[1, 0.978], ['zzzz'], ['z', 'aaaa'], ['z'], true])
  })

  test('FF-73: a blank question finds nothing', async () => {
    const code = STORE.replace('KIND', 'InMemoryVectorStore(self.embedding)')
    const blank = { ...values, ingest_data: [], search_query: ' ' }
    expect(await runText(runner, code, { values: blank, method: 'search_documents' })).toEqual([])
  })
})
