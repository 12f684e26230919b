import { application } from '@/lib/backend/application'
import { ownOpenApiDocument } from '@/lib/backend/openapi'
import { protocol } from '@/lib/backend/protocol'

export const dynamic = 'force-dynamic'

const PUBLIC = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }

export function GET(): Response {
  return Response.json(ownOpenApiDocument(protocol(), application().settings), { headers: PUBLIC })
}

export function OPTIONS(): Response {
  const headers = { ...PUBLIC, 'Access-Control-Allow-Methods': 'GET', 'Access-Control-Allow-Headers': '*' }
  return new Response(null, { status: 204, headers })
}
