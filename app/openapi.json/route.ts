import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { vasp } from '@/lib/backend/vasp'
import { application } from '@/lib/backend/application'

export const dynamic = 'force-dynamic'

export function GET(): Response {
  return Response.json(ownOpenApiDocument(vasp(), application().settings), {
    headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  })
}
