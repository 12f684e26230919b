import { deps } from '@/lib/deps'
import { openApiDocument } from '@/lib/gateway/openapi'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  return Response.json(openApiDocument(deps().settings), {
    headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  })
}
