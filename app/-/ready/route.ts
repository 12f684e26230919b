import { application } from '@/lib/backend/application'
import { readiness } from '@/lib/platform/readiness'

export const dynamic = 'force-dynamic'

export async function GET(): Promise<Response> {
  const answer = await readiness(application())
  return Response.json(answer, { status: answer.ready ? 200 : 503, headers: { 'Cache-Control': 'no-store' } })
}
