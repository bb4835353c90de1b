// Written by x-flow types from support.json. Do not edit.
import flow from './support.json' with { type: 'json' }
export default flow
