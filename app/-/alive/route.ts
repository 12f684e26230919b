export const dynamic = 'force-dynamic'

/** The process runs. Asks nothing else, so that a slow database does not get the process killed. */
export function GET(): Response {
  return Response.json({ alive: true }, { headers: { 'Cache-Control': 'no-store' } })
}
