const HOST = 'https://a2ui.org/specification'

/** The ids under which clients know the basic catalog of 0.9.1; the first is canonical. */
export const basicCatalogIds: readonly string[] = [
  `${HOST}/v0_9/catalogs/basic/catalog.json`,
  `${HOST}/v0_9/basic_catalog.json`,
  `${HOST}/v0_9_1/catalogs/basic/catalog.json`,
  `${HOST}/v0_9_1/basic_catalog.json`,
]

const [canonical = ''] = basicCatalogIds

/** Alternative ids of the 0.9.1 catalogs. */
export const aliasesV09: Readonly<Record<string, string>> = {
  ...Object.fromEntries(basicCatalogIds.slice(1).map((id) => [id, canonical])),
  [`${HOST}/v0_9_1/catalogs/minimal/catalog.json`]: `${HOST}/v0_9/catalogs/minimal/catalog.json`,
}
