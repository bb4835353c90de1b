/** An empty 307: method, body and query stay. */
export function redirect(location: string): Response {
  return new Response(null, { status: 307, headers: { location } })
}
