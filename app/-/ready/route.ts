import { deps } from '@/lib/deps'
import { readiness } from '@/lib/platform/readiness'

export const dynamic = 'force-dynamic'

export async function GET(): Promise<Response> {
  const answer = await readiness(deps())
  return Response.json(answer, { status: answer.ready ? 200 : 503, headers: { 'Cache-Control': 'no-store' } })
}
