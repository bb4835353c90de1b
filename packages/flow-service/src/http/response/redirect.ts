/** An empty 307, which preserves method, body and query. */
export function redirect(location: string): Response {
  return new Response(null, { status: 307, headers: { location } })
}
