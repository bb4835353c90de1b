import { expect, test } from 'vitest'
import { basicCatalogV09, bind, createSurfaceStore, each, ui, uiV09 } from '@x/surface-protocol'
import { createSurfaceBuilder, createSurfaceWriter, type UiNode } from '@x/surface-protocol'
import { renderSurfaceText } from '@x/surface-protocol/html'
import { express } from '@x/surface-protocol/llm'

const textOf = (program: string, options = {}) => {
  const store = createSurfaceStore({ version: '0.9.1' })
  const catalogs = [basicCatalogV09]
  for (const message of express().compile(program, { version: '0.9.1', catalogs })) {
    expect(store.apply(message).applied).toBe(true)
  }
  return renderSurfaceText(store, 'main', options)
}

test('SX-55: every type as text', () => {
  const program = `$/c = ["b"]
$/rows = [{n: "Ada", k: "1"}, {n: "Grace Hopper", k: "22"}]
root = Column([
  Text("Title", "h2"), Text("**Bold** and [a link](https://host.example/x)"),
  Image("https://host.example/x.png", "A picture"), Image("https://host.example/y.png"), Divider(),
  ChoicePicker("One of", "mutuallyExclusive", [{label: "A", value: "a"}, {label: "B", value: "b"}], $/c),
  ChoicePicker(label="Some of", variant="multipleSelection", options=["c", "d"], value=["c"]),
  List(_template($/rows, Row([Text($n), Text($k)]))), List([Text("one"), Text("two")]),
  Tabs([{title: "First tab", child: Text("in the tab")}]),
  Modal(Button(Text("Open"), "primary", Event("open")), Text("in the dialog")),
  TextField("Name", "Ada"), TextField("Secret", "1234", variant="obscured"), CheckBox("Agree", true), CheckBox("No", false),
  Slider("Amount", 1, 5, 3), DateTimeInput("2026-01-01", true, label="When"),
  Row([Text("left"), Button(Text("Send"), action=Event("send"))]), Video("https://host.example/v.mp4"),
  Button(Icon("add"), action=Event("add"))
])`
  expect(textOf(program)).toBe(`## Title
Bold and a link <https://host.example/x>
[Image: A picture]
----------------------------------------
One of:
( ) A
(x) B
Some of:
[x] c
[ ] d
Ada           1
Grace Hopper  22
- one
- two
First tab
  in the tab
[ Open ]
  in the dialog
Name: Ada
Secret: ****
[x] Agree
[ ] No
Amount: 3
When: 2026-01-01
left  [ Send ]
Video <https://host.example/v.mp4>
[ add ]
`)
})

test('SX-55: lines are wrapped by the width that a terminal shows', () => {
  const text = textOf(
    `root = Text("${'漢字'.repeat(9)} ${'e\u0301'.repeat(25)} 👩‍👩‍👧 word word word")`,
    { width: 20 },
  )
  const lines = text.trimEnd().split('\n')
  expect(lines[0]).toBe('漢字'.repeat(5))
  expect(lines).toContain('e\u0301'.repeat(20))
  expect(lines.join('')).toContain('👩‍👩‍👧')
  expect(textOf('root = List([Text("a b c d e f g h i j k l")])', { width: 20 })).toBe(
    '- a b c d e f g h i\n  j k l\n',
  )
  expect(() => textOf('root = Text("a")', { width: 5 })).toThrow(TypeError)
})

async function shown(root: UiNode, data = {}, options = {}): Promise<string> {
  const writer = createSurfaceWriter({ version: '0.9.1', send: () => undefined })
  await writer.render('s', { root, data })
  return renderSurfaceText(writer.store, 's', options)
}

test('SX-55: no control characters, no links without being asked', async () => {
  const nasty = 'a\u001b[31mb\u0007\u202ec\u2028d\r\ne\tf'
  expect(await shown(uiV09.Text({ text: nasty }))).toBe('a[31mbc\nd\ne  f\n')
  const link = uiV09.Text({ text: '[a](https://host.example)' })
  expect(await shown(link, {}, { links: false })).toBe('a\n')
  const bad = uiV09.Text({ text: '[bad](javascript:alert(1)) [good](/x_(y))' })
  expect(await shown(bad)).toBe('bad good </x_(y)>\n')
})

test('SX-55: no more than a megabyte', { tags: ['long'] }, async () => {
  const rows = Array.from({ length: 300 }, () => 'x'.repeat(4000))
  const list = uiV09.List({ children: each('/rows', uiV09.Text({ text: bind('/text') })) })
  await expect(shown(list, { rows, text: 'x'.repeat(4000) })).rejects.toMatchObject({
    code: 'limit_exceeded',
  })
})

test('SX-55: surfaces of 0.8 and types of your own', () => {
  const store = createSurfaceStore()
  const root = ui.Column({
    children: [
      ui.MultipleChoice({
        selections: ['a'],
        maxAllowedSelections: 1,
        options: [{ label: { literalString: 'A' }, value: 'a' }],
      }),
      ui.TextField({ label: 'Name', text: 'Ada' }),
    ],
  })
  store.applyAll(createSurfaceBuilder('s').root(root).toMessages())
  expect(renderSurfaceText(store, 's')).toBe('(x) A\nName: Ada\n')
  expect(renderSurfaceText(store, 'other')).toBe('')
})
