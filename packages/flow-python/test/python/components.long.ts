// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import { createData, isData, isComponent } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { createMessage, isMessage } from '@x/flow-engine'
import { componentToNode } from '@x/flow-engine/internal'
import { componentOf, newTrace, run, runText, testRunner } from './python-runs.ts'

const runner = testRunner()
const { signal } = new AbortController()

async function nodeOf(code: string) {
  const component = await runner.load(code, { signal })
  if (!isComponent(component)) throw new Error('no component')
  return { type: component.type, node: componentToNode(component) }
}

describe('paths and packages', () => {
  test('PY-20: all import paths that components use resolve to the same classes', async () => {
    const body = `import importlib
made = []
for root in ("langflow", "lfx"):
    for path, names in {
        "custom": "Component CustomComponent", "custom.custom_component.component": "Component",
        "io": "MessageTextInput Output SecretStrInput TableInput", "inputs.inputs": "DropdownInput", "inputs": "BoolInput",
        "template": "Output Input", "template.field.base": "Output", "schema": "Data Message DataFrame dotdict",
        "schema.data": "Data", "schema.message": "Message", "schema.dataframe": "DataFrame", "schema.dotdict": "dotdict",
        "schema.table": "Column EditMode", "schema.log": "Log", "schema.content_block": "ContentBlock",
        "schema.content_types": "TextContent ToolContent", "schema.properties": "Properties Source",
        "field_typing": "Text LanguageModel Embeddings Tool Retriever", "field_typing.range_spec": "RangeSpec",
        "helpers.data": "data_to_text docs_to_data safe_convert", "logging": "logger", "log.logger": "logger",
        "utils.constants": "MESSAGE_SENDER_AI", "utils.component_utils": "set_field_display set_current_fields",
        "base.data.utils": "TEXT_FILE_TYPES IMG_FILE_TYPES", "base.io.text": "TextComponent", "base.io.chat": "ChatComponent",
        "interface.custom.custom_component": "CustomComponent", "services.deps": "get_settings_service",
    }.items():
        module = importlib.import_module(f"{root}.{path}")
        made += [f"{root}.{path}.{name}" for name in names.split() if not hasattr(module, name)]
import langflow.custom, lfx.custom
return [made, langflow.custom.Component is lfx.custom.Component]`
    expect(await run(runner, body)).toEqual([[], true])
  })

  test('PY-20: using a service of the server fails with an error that says it is not available', async () => {
    const body = 'from langflow.services.deps import get_settings_service\nget_settings_service()'
    await expect(run(runner, body)).rejects.toThrow('is not available to Python components')
  })

  test('PY-20: pydantic validates and converts values, and names the invalid ones', async () => {
    const body = `from pydantic import BaseModel, Field, ValidationError
class Person(BaseModel):
    name: str
    age: int = Field(3, ge=0)
    tags: list[str] = []
try: Person(age="x")
except ValidationError as error: text = str(error)
return [Person(name="a", age="4").model_dump(), text, Person.model_json_schema()["required"]]`
    expect(await run(runner, body)).toEqual([
      { name: 'a', age: 4, tags: [] },
      '2 validation errors for Person\nname\n  Field required\nage\n  Input should be a valid integer, unable to parse string as an integer',
      ['name'],
    ])
  })

  test('PY-20: yaml, orjson, loguru and dotenv are available', async () => {
    const trace = newTrace()
    const body = `import yaml, orjson
from loguru import logger
from dotenv import load_dotenv
load_dotenv()
logger.info("read {}", 1)
logger.debug("not this")
return [yaml.safe_load("a:\\n  - 1\\n  - b: [x, 2]"), orjson.dumps({"a": 1}).decode()]`
    expect(await run(runner, body, { trace })).toEqual([{ a: [1, { b: ['x', 2] }] }, '{"a":1}'])
    expect(trace.logs).toEqual([['info', 'read 1']])
  })
})

describe('a component', () => {
  test('PY-21: status, log, stop and the ids of the run are available', async () => {
    const trace = newTrace()
    const body = `self.status = {"a": 1}
self.log("one")
self.log({"k": 2}, name="two")
self.stop("result")
self.add_to_ctx("seen", 1)
return [self.flow_id, self.session_id, self.user_id, self.graph.session_id, self._id, self.ctx["seen"]]`
    expect(await run(runner, body, { trace })).toEqual([
      'flow',
      'session',
      'ann',
      'session',
      'Mine-1',
      1,
    ])
    expect(trace).toMatchObject({
      status: { a: 1 },
      stopped: ['result'],
      logs: [
        ['Log', 'one'],
        ['two', { k: 2 }],
      ],
    })
    await expect(run(runner, 'return self.nothing')).rejects.toThrow('nothing not found in Mine')
  })

  test('PY-21: variables of the caller are read from the host', async () => {
    const code = componentOf('').replace(
      '    def work(self):\n        ',
      '    async def work(self):\n        return await self.get_variables("KEY", "key")',
    )
    const more = { variable: (name: string) => Promise.resolve(name === 'KEY' ? 'secret' : null) }
    expect(await runText(runner, code, { more: more as never })).toBe('secret')
  })

  test('PY-22: outputs run on one instance, in the order of their declaration', async () => {
    const code = `from langflow.custom import Component
from langflow.io import Output
class Two(Component):
    outputs = [Output(name="result", method="work"), Output(name="second", method="more")]
    def work(self):
        self.seen = getattr(self, "seen", 0) + 1
        return self.seen
    async def more(self):
        return self.work()
`
    const node = {
      template: {},
      outputs: [
        { name: 'result', method: 'work' },
        { name: 'second', method: 'more' },
      ],
    }
    const component = await runner.load(code, { signal, node })
    if (!isComponent(component)) throw new Error('no component')
    const ctx = {
      connected: new Set<string>(),
      services: {},
      displayName: 'Two',
      signal,
      log() {},
      status() {},
    }
    const values = await Promise.all(
      ['result', 'second'].map((name) => component.outputs[name]?.run({}, ctx as never)),
    )
    expect(values).toEqual([1, 2])
  })

  test('PY-22: a TypeError names the method', async () => {
    await expect(run(runner, 'return 1 + "a"')).rejects.toThrow(
      'Error running method "work": unsupported operand',
    )
  })

  test('PY-54: the message of an exception includes the line in the author’s code', async () => {
    const body =
      'def divide(value):\n    return 1 / int(value)\ntry:\n    divide("zero")\nexcept ValueError as error:\n    raise ValueError("Cannot divide") from error'
    await expect(run(runner, body)).rejects.toThrow('Cannot divide (line 16, work)')
    await expect(run(runner, 'return {}["k"]')).rejects.toThrow("'k' (line 11, work)")
  })
})

describe('values', () => {
  test('PY-52: Message, Data and DataFrame are converted in both directions', async () => {
    const values = {
      m: createMessage({ text: 'hi', sender: 'User', data: { extra: 1 } }),
      d: createData({ text: 'x', n: 1.5, deep: { $: 'mark' } }),
      f: createDataFrame([{ a: 1 }, { a: 2, b: 'x' }]),
    }
    const found = await run(runner, 'return [self.m, self.d, self.f]', { values })
    if (!Array.isArray(found)) throw new Error('no list')
    expect(isMessage(found[0]) && { ...found[0] }).toMatchObject({
      text: 'hi',
      sender: 'User',
      data: { extra: 1 },
    })
    expect(isData(found[1]) && found[1].data).toEqual({ text: 'x', n: 1.5, deep: { $: 'mark' } })
    expect(found[2]).toMatchObject({ columns: ['a', 'b'], rows: [{ a: 1 }, { a: 2, b: 'x' }] })
    expect(
      await run(
        runner,
        'return [type(self.m).__name__, self.m.extra, self.d.deep, self.f["a"].sum()]',
        { values },
      ),
    ).toEqual(['Message', 1, { $: 'mark' }, 3])
  })

  test('PY-52: values without a JSON form are converted to the closest one', async () => {
    const body = `import datetime, dataclasses, uuid, decimal, pathlib
@dataclasses.dataclass
class Point:
    x: int
return [float("nan"), float("inf"), 2**60, datetime.date(2024, 1, 2), b"ab", (1, 2), {3}, Point(1), None, pathlib.Path("/a")]`
    expect(await run(runner, body)).toEqual([
      null,
      null,
      '1152921504606846976',
      '2024-01-02',
      'YWI=',
      [1, 2],
      [3],
      { x: 1 },
      null,
      '/a',
    ])
  })

  test('PY-22: an output without a method of its name is an attribute of the component', async () => {
    const code = `from langflow.custom import Component
from langflow.io import Output
class Greeter(Component):
    outputs = [Output(name="result", display_name="Greeting", method="work")]
    def work(self) -> str:
        self.result.value = "kept"
        return self.result.name + " " + self.result.value`
    expect(await runText(runner, code)).toBe('result kept')
  })

  test('PY-24: Message.create creates a message, as in chat inputs', async () => {
    const body = `from langflow.schema import Message
import asyncio
made = asyncio.run(Message.create(text="Ahoy", sender="User", files=["a.png"]))
return [made.text, made.sender, made.files]`
    expect(await run(runner, body)).toEqual(['Ahoy', 'User', ['a.png']])
  })

  test('PY-24: Data and Message have the documented methods', async () => {
    const body = `a = Data(text="t", n=1)
b = Data(data={"n": 2, "m": 3})
a.more = 5
message = Message.from_template("Hi {name}", name="Ann")
return [a.n, a.get_text(), (a + b).data, "n" in a, a == Data(text="t", n=1, more=5), a.to_message().text, a.model_dump(),
        message.text, message.sender, b.to_dataframe().to_dict("records"), str(Data(k=1)), a.set_text("q"), a.filter_data('{"n": 1}').data]`
    expect(await run(runner, body)).toEqual([
      1,
      't',
      { text: 't', n: 3, more: 5, m: 3 },
      true,
      true,
      't',
      { text_key: 'text', data: { text: 't', n: 1, more: 5 }, default_value: '' },
      'Hi Ann',
      null,
      [{ n: 2, m: 3 }],
      '{\n    "k": 1\n}',
      'q',
      { n: 1 },
    ])
  })

  test('PY-7: a file of an input is available under /tmp/files', async () => {
    const file = {
      path: 'flow/a.txt',
      name: 'a.txt',
      read: () => Promise.resolve(new TextEncoder().encode('inside')),
    }
    const body = 'path = self.resolve_path(self.f)\nreturn [path, open(path).read()]'
    expect(await run(runner, body, { values: { f: file } })).toEqual(['/tmp/files/a.txt', 'inside'])
  })
})

describe('small packages', () => {
  test('PY-20: jsonable_encoder converts values to JSON types', async () => {
    const head = `import dataclasses, datetime, enum
from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel

class Colour(enum.Enum):
    RED = "red"

@dataclasses.dataclass
class Point:
    x: int

class Person(BaseModel):
    name: str
    born: datetime.date`
    const body = `born = datetime.date(2001, 2, 3)
return jsonable_encoder({"p": Person(name="Ann", born=born), "c": Colour.RED, "s": {1}, "at": Point(2),
    "none": None, "b": b"x", "span": datetime.timedelta(minutes=1)}, exclude_none=True)`
    expect(await runText(runner, componentOf(body, head))).toEqual({
      p: { name: 'Ann', born: '2001-02-03' },
      c: 'red',
      s: [1],
      at: { x: 2 },
      b: 'x',
      span: 60,
    })
  })
})

describe('the built-in DataFrame', () => {
  test('PY-25: a DataFrame selects, sorts, groups, joins and prints', async () => {
    const body = `import pandas as pd
df = pd.DataFrame([{"k": "a", "n": 3}, {"k": "b", "n": 1}, {"k": "a", "n": 5}])
other = pd.DataFrame({"k": ["a", "b"], "w": [1.5, 2.25]})
df["twice"] = df["n"] * 2
return [df[df["n"] > 1]["n"].tolist(), df.sort_values("n").to_dict("records")[0], df.groupby("k")["n"].sum().to_dict(),
        df.groupby("k").agg({"n": "mean"}).to_dict("list"), df.merge(other, on="k", how="left")["w"].tolist(), df.shape,
        list(df.columns), df.iloc[0]["k"], df.loc[df["k"] == "b", "n"].tolist(), df["k"].str.upper().tolist(),
        df["k"].value_counts().to_dict(), pd.concat([df, df], ignore_index=True).shape, df.drop(columns=["twice"]).head(1).to_dict("records"),
        df.rename(columns={"n": "m"}).to_csv(index=False), other.to_markdown(index=False), df.empty, (df["n"] > 1).sum()]`
    expect(await run(runner, body)).toEqual([
      [3, 5],
      { k: 'b', n: 1, twice: 2 },
      { a: 8, b: 1 },
      { n: [4, 1] },
      [1.5, 2.25, 1.5],
      [3, 3],
      ['k', 'n', 'twice'],
      'a',
      [1],
      ['A', 'B', 'A'],
      { a: 2, b: 1 },
      [6, 3],
      [{ k: 'a', n: 3 }],
      'k,m,twice\na,3,6\nb,1,2\na,5,10\n',
      '| k   |    w |\n|:----|-----:|\n| a   | 1.5  |\n| b   | 2.25 |',
      false,
      2,
    ])
    await expect(
      run(runner, 'import pandas as pd\npd.DataFrame([1]).pivot_table()'),
    ).rejects.toThrow('DataFrame.pivot_table needs pandas')
  })
})

describe('reading a class', () => {
  test('PY-23: output types come from annotations', async () => {
    const code = `from __future__ import annotations
from typing import Optional
from langflow.custom import Component
from langflow.io import Output
from langflow.schema import Data, DataFrame, Message
class A(Component):
    name = "Odd"
    outputs = [Output(name="a", method="a"), Output(name="b", method="b"), Output(name="c", method="c"),
               Output(name="d", method="d"), Output(name="e", method="e", types=["Tool"])]
    def a(self) -> Data | DataFrame: ...
    def b(self) -> list[Message]: ...
    def c(self) -> Optional[str]: ...
    def d(self): ...
    def e(self): ...
`
    const { type, node } = await nodeOf(code)
    expect(type).toBe('Odd')
    expect(node.outputs?.map(({ types }) => types)).toEqual([
      ['Data', 'DataFrame'],
      ['Message'],
      ['Text', 'NoneType'],
      [],
      ['Tool'],
    ])
  })

  test('PY-40: each input class becomes its field', async () => {
    const code = `from langflow.custom import Component
from langflow.io import *
class A(Component):
    display_name = "All"
    beta = True
    field_order = ["n", "t"]
    inputs = [
        MessageTextInput(name="t", display_name="T", value="v", required=True),
        IntInput(name="n", value=3, advanced=True), BoolInput(name="b", value=True),
        DropdownInput(name="d", options=["x", "y"], value="x", real_time_refresh=True),
        SecretStrInput(name="s"), HandleInput(name="h", input_types=["LanguageModel"]),
        FileInput(name="f", file_types=["csv"]), DictInput(name="k", is_list=True),
        TableInput(name="rows", table_schema=[{"name": "a", "type": "str"}]),
        SliderInput(name="sl", range_spec=RangeSpec(min=0, max=2, step=0.1)) if False else FloatInput(name="fl"),
        MultiselectInput(name="ms", options=["p"], value=["p"]),
    ]
    outputs = []
`
    const { node } = await nodeOf(code)
    expect(node).toMatchObject({
      display_name: 'All',
      beta: true,
      field_order: ['n', 't', 'b', 'd', 's', 'h', 'f', 'k', 'rows', 'fl', 'ms'],
    })
    expect(node.template).toMatchObject({
      t: { _input_type: 'MessageTextInput', value: 'v', required: true, input_types: ['Message'] },
      n: { _input_type: 'IntInput', type: 'int', value: 3, advanced: true },
      b: { type: 'bool', value: true },
      d: { _input_type: 'DropdownInput', options: ['x', 'y'], real_time_refresh: true },
      s: { type: 'str', password: true, load_from_db: true },
      h: { type: 'other', input_types: ['LanguageModel'] },
      f: { type: 'file', fileTypes: ['csv'] },
      k: { type: 'dict', list: true },
      rows: { type: 'table', table_schema: [{ name: 'a', type: 'str' }] },
      ms: { _input_type: 'MultiselectInput', value: ['p'] },
    })
  })

  test('PY-40: the last of several classes without a subclass is used', async () => {
    const code = `from langflow.custom import Component
class Base(Component): pass
class First(Base): pass
class Last(Base): display_name = "Last"
`
    expect((await nodeOf(code)).type).toBe('Last')
  })

  test.each([
    ['from langflow.custom import Component\nx = 1\n', 'no class that derives from Component'],
    ['class A(Component): pass', "name 'Component' is not defined"],
    ['from langflow.custom import Component\nclass A(Component\n', "'(' was never closed (line 2)"],
    [
      'from langflow.custom import Component\nfrom langflow.io import *\nclass NoMethod(Component):\n    outputs = [Output(name="a", method="not_there")]',
      'Output a: NoMethod has no method not_there',
    ],
    [
      'from langflow.custom import Component\nfrom langflow.io import *\nclass A(Component):\n    inputs = [StrInput(name="x")]\n    outputs = [Output(name="x", method="m")]\n    def m(self): ...',
      'the input x and the output x have one name',
    ],
    [
      'from langflow.base.chains.model import LCChainComponent\nclass A(LCChainComponent): pass',
      'A derives from LCChainComponent, which is not available to Python components',
    ],
    [
      'import zzz, openai\nfrom langflow.custom import Component\nclass A(Component): pass',
      'needs the Python package "openai", which cannot run in the sandbox',
    ],
  ])('PY-43: code that is not a component is refused with the reason (%#)', async (code, why) => {
    await expect(nodeOf(code)).rejects.toThrow(why)
  })

  test('PY-41: the same code is read once; an import guarded by except is not a missing package', async () => {
    const code =
      'from langflow.custom import Component\ntry:\n    import openai\nexcept ImportError:\n    openai = None\nclass A(Component): pass\n'
    const before = runner.stats().classes
    await nodeOf(code)
    await nodeOf(code)
    expect(runner.stats().classes).toBe(before + 1)
  })

  test('PY-21: a CustomComponent takes its inputs from build', async () => {
    const code = `from langflow import CustomComponent
from langflow.field_typing import Text
class Old(CustomComponent):
    display_name = "Old"
    def build_config(self):
        return {"param": {"display_name": "Parameter", "value": "x"}}
    def build(self, param: str, times: int = 2) -> Text:
        return param * times
`
    const { node } = await nodeOf(code)
    expect(node.template).toMatchObject({
      param: { display_name: 'Parameter', value: 'x' },
      times: { type: 'int', value: 2 },
    })
    expect(node.outputs).toMatchObject([{ name: 'Text', method: 'build', types: ['Text'] }])
    const changed = code.replace('"value": "x"', '"value": "y"')
    const made = await runner.load(changed, {
      signal,
      node: { template: {}, outputs: [{ name: 'Text', method: 'build' }] },
    })
    if (!isComponent(made)) throw new Error('no component')
    const ctx = {
      connected: new Set<string>(),
      services: {},
      displayName: 'Old',
      signal,
      log() {},
      status() {},
    }
    expect(await made.outputs['Text']?.run({ param: 'ab', times: 3 }, ctx as never)).toBe('ababab')
  })
})
