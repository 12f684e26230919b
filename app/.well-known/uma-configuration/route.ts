import { deps } from '@/lib/deps'
import { discoveryDocument } from '@/lib/gateway/discovery'

export const dynamic = 'force-dynamic'

/** Read by apps in browsers on any origin, so CORS is open: the document is public and the same for everyone. */
export function GET(): Response {
  return Response.json(discoveryDocument(deps().settings), {
    headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  })
}
