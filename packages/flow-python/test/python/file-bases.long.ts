import { expect, test } from 'vitest'
import { createData, createMessage } from '@x/flow-engine'
import { run, runText, testRunner } from './python-runs.ts'

const runner = testRunner()

test('FF-75: LCTextSplitterComponent splits its input with the splitter of the code', async () => {
  const code = `from langchain_text_splitters import CharacterTextSplitter, TextSplitter
from lfx.base.textsplitters.model import LCTextSplitterComponent
from lfx.io import DataInput

class Cuts(LCTextSplitterComponent):
    inputs = [DataInput(name="data_input", input_types=["Data"])]

    def get_data_input(self):
        return self.data_input

    def build_text_splitter(self) -> TextSplitter:
        return CharacterTextSplitter(separator=",", chunk_size=5, chunk_overlap=0)
`
  const cut = (data_input: unknown) =>
    runText(runner, code, { values: { data_input }, method: 'transform_data' })
  expect(await cut(createData({ text: 'aa,bb,cc', page: 3 }))).toMatchObject([
    { data: { text: 'aa,bb', page: 3 } },
    { data: { text: 'cc', page: 3 } },
  ])
  expect(await cut([createMessage('a,b')])).toMatchObject([{ data: { text: 'a,b' } }])
})

test('FF-75: headers of Markdown become metadata, and tokens are words', async () => {
  const head =
    'from langchain_text_splitters import MarkdownHeaderTextSplitter, TokenTextSplitter\n'
  const body = `${head}levels = [("#", "H1"), ("##", "H2")]
text = "# A\\n\\nfirst\\n\\nsecond\\n## B\\n\\n\`\`\`\\n# no header\\n\`\`\`\\n# C\\nlast"
return [[d.page_content, d.metadata] for d in MarkdownHeaderTextSplitter(levels).split_text(text)]`
  expect(await run(runner, body)).toEqual([
    ['first  \nsecond', { H1: 'A' }],
    ['```\n# no header\n```', { H1: 'A', H2: 'B' }],
    ['last', { H1: 'C' }],
  ])
  const words = `${head}return TokenTextSplitter(chunk_size=3, chunk_overlap=1).split_text("one two three four five")`
  expect(await run(runner, words)).toEqual(['one two three', 'three four five'])
})

const FILES = `import pathlib, zipfile
from langflow.base.data.base_file import BaseFileComponent
from langflow.schema import Data, DataFrame

class Reads(BaseFileComponent):
    VALID_EXTENSIONS = ["txt", "md"]
    inputs = [*BaseFileComponent._base_inputs]
    outputs = [*BaseFileComponent._base_outputs]

    def process_files(self, file_list):
        found = [Data(data={"file_path": str(one.path), "text": one.path.read_text()}) for one in file_list]
        return self.rollup_data(file_list, found)

    def made(self) -> str:
        folder = pathlib.Path("/tmp/in")
        folder.mkdir()
        (folder / "a.txt").write_text("one")
        (folder / "b.exe").write_text("no")
        with zipfile.ZipFile("/tmp/c.zip", "w") as bundle:
            bundle.writestr("deep/c.md", "two")
            bundle.writestr("__MACOSX/c.md", "no")
        self.set(path=[str(folder), "/tmp/c.zip"])
        return self.load_files_message()

    def missing(self) -> str:
        self.set(path="/tmp/none.txt")
        return self.load_files()
`

test('FF-75: BaseFileComponent opens folders and archives, and gives process_files the known kinds', async () => {
  expect(await runText(runner, FILES, { method: 'made' })).toMatchObject({ text: 'one\n\ntwo' })
  await expect(runText(runner, FILES, { method: 'missing' })).rejects.toThrow(
    "File not found: '/tmp/none.txt'",
  )
})
