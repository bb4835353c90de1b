// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { run, testRunner } from './python-runs.ts'

const runner = testRunner()

test.each([
  [
    'RecursiveCharacterTextSplitter(chunk_size=10, chunk_overlap=3).split_text("one two\\n\\nthree four five\\nsix")',
    ['one two', 'three', 'four five', 'six'],
  ],
  [
    'RecursiveCharacterTextSplitter(chunk_size=4, chunk_overlap=1, separators=[""]).split_text("abcdefgh")',
    ['abcd', 'defg', 'gh'],
  ],
  [
    'CharacterTextSplitter(separator=",", chunk_size=5, chunk_overlap=0).split_text("aa,bb,cc")',
    ['aa,bb', 'cc'],
  ],
  [
    '[d.metadata["page"] for d in RecursiveCharacterTextSplitter(chunk_size=5, chunk_overlap=0).split_documents([Document(page_content="aaaa bbbb", metadata={"page": 3})])]',
    [3, 3],
  ],
])('FF-75: %s', async (expression, expected) => {
  const head =
    'from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter\nfrom langchain_core.documents import Document\n'
  expect(await run(runner, `${head}return ${expression}`)).toEqual(expected)
})

test('FF-75: PythonREPL gives what the code printed, or its error', async () => {
  const head = 'from langchain_experimental.utilities import PythonREPL\nrepl = PythonREPL()\n'
  const expression = '[repl.run("x = 6 * 7\\nprint(x)"), repl.run("1 / 0")]'
  expect(await run(runner, `${head}return ${expression}`)).toEqual([
    '42\n',
    "ZeroDivisionError('division by zero')",
  ])
})
