/** True for a Response, also one of another realm or of another implementation of fetch. */
export function isResponse(value: unknown): value is Response {
  return value instanceof Response || Object.prototype.toString.call(value) === '[object Response]'
}
