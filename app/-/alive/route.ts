export const dynamic = 'force-dynamic'

/** Reports that the process runs. It checks nothing else, so that a slow database does not cause the process to be killed. */
export function GET(): Response {
  return Response.json({ alive: true }, { headers: { 'Cache-Control': 'no-store' } })
}
