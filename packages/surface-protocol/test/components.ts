/** Components of the standard catalog, as messages hold them. */
export const text = (id: string, value: object) => ({ id, component: { Text: { text: value } } })

export const column = (id: string, ...ids: string[]) => ({
  id,
  component: { Column: { children: { explicitList: ids } } },
})

/** A list of what a template makes of the data. */
export const each = (id: string, componentId: string, dataBinding: string) => ({
  id,
  component: { List: { children: { template: { componentId, dataBinding } } } },
})
