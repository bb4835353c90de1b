// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { componentToNode, fieldToTemplate, refreshDetails } from '@x/flow-engine/internal'
import { field, isComponent } from '@x/flow-engine'
import { run, runText, testRunner } from './python-runs.ts'

const runner = testRunner()
const { signal } = new AbortController()

const FIRST = `from langflow.custom import CustomComponent
from langflow.schema import Data

class Mine(CustomComponent):
    display_name = "Repeats"

    def build_config(self):
        return {
            "text": {"display_name": "Text", "multiline": True},
            "tone": {"options": ["loud", "low"], "advanced": True},
            "code": {"show": False},
        }

    def build(self, text: str, tone: str = "low", times: int = 2) -> Data:
        return Data(data={"text": text * times, "tone": tone})
`

test.each(['CustomComponent', 'Component'])(
  'FF-78: a component of the first kind runs build with its fields as arguments (%s)',
  async (base) => {
    const code = FIRST.replaceAll('CustomComponent', base)
    const made = await runText(runner, code, {
      values: { text: 'ab', times: 3, tone: 'loud' },
      method: 'data',
    })
    expect(made).toMatchObject({ data: { text: 'ababab', tone: 'loud' } })
    const component = await runner.load(code, { signal, userId: 'ann' })
    if (!isComponent(component)) throw new Error('no component')
    expect(component).toMatchObject({
      displayName: 'Repeats',
      inputs: {
        text: { options: { required: true, displayName: 'Text' } },
        tone: { options: { default: 'low', options: ['loud', 'low'] } },
        times: { fieldKind: 'int', options: { default: 2 } },
      },
    })
    expect(Object.values(component.outputs)).toMatchObject([{ types: ['Data'], method: 'build' }])
  },
)

const CHANGING = `from lfx.custom.custom_component.component import Component
from lfx.io import DropdownInput, LinkInput, MessageTextInput, Output
from lfx.schema import Data, DataFrame, Message

class Changes(Component):
    inputs = [
        DropdownInput(name="kind", options=["a", "b"], value="a", real_time_refresh=True),
        LinkInput(name="help", display_name="Help", value="https://x.example"),
    ]
    outputs = [
        Output(name="z", method="z"), Output(name="one", method="one"), Output(name="many", method="many"),
    ]

    def z(self) -> Message | None:
        return None

    def one(self) -> Data | DataFrame:
        return Data()

    def many(self) -> list[Data]:
        return []

    def update_build_config(self, build_config, field_value, field_name=None):
        build_config["extra"] = MessageTextInput(name="extra", display_name="Extra").to_dict()
        return build_config

    def update_outputs(self, frontend_node, field_name, field_value):
        frontend_node["outputs"] = [Output(name="one", display_name="One", method="one")]
        return frontend_node
`

test('FF-78: base classes are in alphabetical order, with NoneType for a union with None', async () => {
  const component = await runner.load(CHANGING, { signal, userId: 'ann' })
  if (!isComponent(component)) throw new Error('no component')
  const node = componentToNode(component)
  expect(node.base_classes).toEqual(['Data', 'DataFrame', 'Message', 'NoneType'])
  expect(node.outputs?.map(({ types }) => types)).toEqual([
    ['Message', 'NoneType'],
    ['Data', 'DataFrame'],
    ['Data'],
  ])
  expect(Object.keys(node.template.help ?? {})).not.toContain('list')
})

test('FF-78: fields and outputs that a class makes anew have all keys', async () => {
  const component = await runner.load(CHANGING, { signal, userId: 'ann' })
  if (!isComponent(component)) throw new Error('no component')
  const node = componentToNode(component)
  const change = { field: 'kind', value: 'b' }
  const options = { services: { codeRunner: runner }, userId: 'ann' }
  const made = await refreshDetails(component, node, change, options)
  const text = Object.keys(fieldToTemplate('extra', field.text({ displayName: 'Extra' })))
  expect(Object.keys(made.template.extra ?? {}).toSorted()).toEqual(text.toSorted())
  expect(made.template.extra).toMatchObject({ name: 'extra', display_name: 'Extra', show: true })
  expect(made.outputs).toMatchObject([
    { name: 'one', selected: 'Data', types: ['Data', 'DataFrame'] },
  ])
})

test('FF-78: a column stays a column after filtering, sorting and grouping', async () => {
  const body = `df = DataFrame([{"k": k, "n": n} for k, n in [("a", 3), ("b", 1), ("a", 5)]])
kept = df[df["n"] > 1]["n"]
ordered = df.sort_values("n")["n"]
parts = {key: [part["n"].max(), part["n"].tolist()] for key, part in df.groupby("k")}
sums = df.groupby("k")["n"].sum()
return [
    kept.tolist(), kept.max(), kept.sum(), kept.mean(), ordered.tolist(), ordered.unique().tolist(), parts,
    sums.tolist(), sums.index.tolist(), sums.max(), df["k"].value_counts().index.tolist(), df["k"].value_counts().tolist(),
    df["n"].values.max(), df["k"].unique().tolist(), df.index.tolist(), df.columns.tolist(), df.values.tolist(), df.n[df.n > 1].tolist(),
]`
  expect(await run(runner, body)).toEqual([
    [3, 5],
    5,
    8,
    4,
    [1, 3, 5],
    [1, 3, 5],
    { a: [5, [3, 5]], b: [1, [1]] },
    [8, 1],
    ['a', 'b'],
    8,
    ['a', 'b'],
    [2, 1],
    5,
    ['a', 'b'],
    [0, 1, 2],
    ['k', 'n'],
    [
      ['a', 3],
      ['b', 1],
      ['a', 5],
    ],
    [3, 5],
  ])
})

test('FF-78: requests and httpx send JSON as theirs do, and read JSON as utf-8', async () => {
  const bodies: string[] = []
  const fetch = async (_: unknown, init?: RequestInit) => {
    bodies.push(await new Response(init?.body).text())
    return Response.json({ é: 1 }, { headers: { 'content-type': 'application/json' } })
  }
  const body = `import requests, httpx
one = requests.post("https://a.example/", json={"a": 1, "b": "é"})
two = httpx.post("https://a.example/", json={"a": 1, "b": "é"})
return [one.encoding, one.json(), two.json()]`
  const made = await run(runner, body, {
    more: { services: { fetch } },
  })
  expect(made).toEqual(['utf-8', { é: 1 }, { é: 1 }])
  expect(bodies).toEqual(['{"a": 1, "b": "\\u00e9"}', '{"a":1,"b":"é"}'])
})

test('FF-78: the names that the reference gives every source need no import', async () => {
  const code = `from langflow.custom import Component
from langflow.field_typing import Message as Typed
from lfx.io import JSONInput
from lfx.schema.data import JSON
from lfx.schema.dataframe import Table

class Mine(Component):
    inputs = [MessageTextInput(name="word"), JSONInput(name="facts")]
    outputs = [Output(name="result", method="work")]

    def work(self) -> Optional[Message]:
        logger.info("x")
        same = [Typed is Message, JSON is Data, Table is DataFrame]
        return Message(text=str(same) + str(isinstance(self, Component)))
`
  expect(await runText(runner, code)).toMatchObject({ text: '[True, True, True]True' })
})

test('FF-1: a component of an author excludes a branch as If-Else does', async () => {
  const excluded: string[] = []
  const more = { exclude: (name: string) => void excluded.push(name) }
  const body = `self.graph.exclude_branch_conditionally(self._id, output_name="result")
try:
    self.graph.exclude_branch_conditionally("Other-1", output_name="result")
except Exception as error:
    return [self._id in self.graph.conditional_exclusion_sources, str(error)]`
  expect(await run(runner, body, { more })).toEqual([
    false,
    expect.stringContaining('takes an output of the component itself'),
  ])
  expect(excluded).toEqual(['result'])
})
