import { expect, test } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'
import { componentRef, extendCatalog } from '@x/surface-protocol/catalog'
import { renderSurfaceHtml } from '@x/surface-protocol/html'
import { express } from '@x/surface-protocol/llm'
import { z } from 'zod'
import { basicCatalogV1, v1 } from '@x/surface-protocol/v1'

const program = `$/c = ["b"]
$/rows = [{n: "row"}]
root = Column([
  Text("Title", "h2"), Image("https://host.example/x.png", "A picture"),
  ChoicePicker("One of", "mutuallyExclusive", ["a", "b"], $/c), ChoicePicker("Some of", "multipleSelection", ["c"], ["c"]),
  List(_template($/rows, Text($n))), Tabs([{title: "First tab", child: Text("in the tab")}]),
  Modal(Button(Text("Open"), "primary", Event("open")), Text("in the dialog")),
  TextField("Name", "Ada"), TextField("Long", "many words", variant="longText"), CheckBox("Agree", true),
  Slider("Amount", 1, 5, 3), DateTimeInput("2026-01-01", true, label="When")
], "center", "end")`

test.each([
  ['0.9.1', { version: '0.9.1', catalogs: [basicCatalogV09] }],
  ['1.0', { version: v1, catalogs: [basicCatalogV1] }],
] as const)('SX-54: nothing of a surface of %s is missing in its HTML', (_, options) => {
  const store = createSurfaceStore({
    version: options.version as '0.9.1',
    catalogs: [...options.catalogs],
  })
  // In 1.0 headings are Markdown.
  const isV1 = typeof options.version !== 'string'
  const text = isV1 ? program.replace('"h2"', '"body"') : program
  for (const message of express().compile(text, options)) store.apply(message)
  const html = renderSurfaceHtml(store, 'main')
  expect(html).not.toContain('undefined')
  for (const part of [
    isV1 ? 'Title</p>' : '<h2 class="sf-text"',
    'alt="A picture"',
    '<legend>One of</legend>',
    'type="radio" name="root_children_2" value="b" checked',
    'type="checkbox" name="root_children_3" value="c" checked',
    '<h3>First tab</h3>',
    'in the tab',
    'in the dialog',
    'data-action="open" data-primary',
    'Name<input type="text" value="Ada"',
    '<textarea>many words</textarea>',
    'min="1" max="5" value="3"',
    'When<input type="date" value="2026-01-01"',
    'data-distribution="center" data-alignment="end"',
    '>row</p>',
  ]) {
    expect(html).toContain(part)
  }
})

test('SX-54: accessible names, also bound ones', () => {
  const store = createSurfaceStore({ version: '0.9.1' })
  const [create] = express().compile('root = Text("a")', {
    version: '0.9.1',
    catalogs: [basicCatalogV09],
  })
  store.apply(create)
  store.apply({
    version: 'v0.9.1',
    updateDataModel: { surfaceId: 'main', path: '/', value: { l: 'Save it "now"' } },
  })
  store.apply({
    version: 'v0.9.1',
    updateComponents: {
      surfaceId: 'main',
      components: [
        { id: 'root', component: 'Column', children: ['b', 'f', 's'] },
        {
          id: 'b',
          component: 'Button',
          child: 'i',
          action: { event: { name: 'save' } },
          accessibility: { label: { path: '/l' }, description: 'Writes' },
        },
        { id: 'i', component: 'Icon', name: 'check' },
        { id: 'f', component: 'TextField', label: '', accessibility: { label: 'Mail' } },
        { id: 's', component: 'Slider', max: 3, value: 1 },
      ],
    },
  })
  const html = renderSurfaceHtml(store, 'main')
  expect(html).toContain('aria-label="Save it &quot;now&quot;" aria-description="Writes"')
  expect(html).toMatch(/<input[^>]* aria-label="Mail"/)
  expect(html).toMatch(/<input type="range"[^>]* aria-label="Slider"/)
})

test('SX-54: types of your own, and checks that fail as text', () => {
  const catalog = extendCatalog(basicCatalogV09, {
    catalogId: 'https://shop.example/catalog',
    components: { Rating: z.object({ stars: z.number(), child: componentRef() }) },
  })
  const store = createSurfaceStore({ version: '0.9.1', catalogs: [catalog] })
  const form = `$/name = ""
root = Column([Rating(5, Text("<in>")), TextField("Name", $/name, checks=?required("Say <who>"))])`
  const options = { version: '0.9.1' as const, catalogs: [catalog] }
  for (const message of express().compile(form, options)) store.apply(message)
  const html = renderSurfaceHtml(store, 'main', {
    components: {
      Rating: (node, h) =>
        `<b${h.attributes({ title: '"', 'data-none': null })}>${h.text(node.properties['stars'])}${h.children(node)}</b>`,
    },
  })
  expect(html).toContain('<b title="&quot;">5<p class="sf-text"')
  expect(html).toContain('&lt;in&gt;</p></b>')
  expect(html).toContain('Say &lt;who&gt;</p>')
  store.setData('main', '/name', 'Ada')
  expect(renderSurfaceHtml(store, 'main')).not.toContain('Say')
})
