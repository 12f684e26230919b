export const dynamic = 'force-dynamic'

/** Reports that the process runs. It checks nothing else, so that a slow database does not get the process killed. */
export function GET(): Response {
  return Response.json({ alive: true }, { headers: { 'Cache-Control': 'no-store' } })
}
