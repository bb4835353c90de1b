/** Compile-only: which properties the factories of `ui` and `createUi` accept (SP-65). */
import { z } from 'zod'
import { bind, createSurfaceBuilder, createUi, each, ui } from '../src/index.ts'
import { defineCatalog } from '../src/catalog.ts'

const label = ui.Text({ text: 'Ada', usageHint: 'h2' })
ui.Text({ text: bind('/name') })
ui.Column({ children: [label, ui.Divider({})] })
ui.List({ children: each('/mails', ui.Text({ text: bind('from') })) })
ui.Button({ child: label, action: 'send' })
ui.CheckBox({ label: 'Yes', value: bind('/yes') })
createSurfaceBuilder('s').root(label.id('title').weight(1))

// @ts-expect-error a text is required
ui.Text({})
// @ts-expect-error a text is no number
ui.Text({ text: 5 })
// @ts-expect-error an unknown hint
ui.Text({ text: 'Ada', usageHint: 'h9' })
// @ts-expect-error an unknown property
ui.Text({ text: 'Ada', colour: 'red' })
// @ts-expect-error an unknown type
ui.Sparkline({ text: 'Ada' })
// @ts-expect-error children are nodes, not strings
ui.Column({ children: ['title'] })
// @ts-expect-error a child is one node
ui.Button({ child: [label], action: 'send' })
// @ts-expect-error an id is a string
label.id(1)
// @ts-expect-error a root is a node
createSurfaceBuilder('s').root('title')

const own = createUi(
  defineCatalog({
    catalogId: 'urn:example:charts',
    components: {
      Chart: z.object({ kind: z.enum(['bar', 'line']), title: z.string().optional() }),
    },
  }),
)
own.Chart({ kind: 'bar' })
// @ts-expect-error a kind that the schema does not have
own.Chart({ kind: 'pie' })
// @ts-expect-error a type that the catalog does not have
own.Text({ text: 'Ada' })
