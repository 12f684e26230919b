import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { vasp } from '@/lib/backend/vasp'
import { deps } from '@/lib/deps'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  return Response.json(ownOpenApiDocument(vasp(), deps().settings), {
    headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  })
}
