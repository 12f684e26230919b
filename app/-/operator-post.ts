import type { z } from 'zod'
import { isOperatorCredential, type Subject } from '@/lib/audit/operator-request'
import { application, type Application } from '@/lib/backend/application'
import { epochSeconds } from '@/lib/platform/clock'
import { readBody } from '@/lib/platform/http/read-body'
import { plainText } from '@/lib/platform/http/responses'
import { parseJson } from '@/lib/platform/parse-json'
import { withTextErrors } from '@/lib/web/handle-errors'

/** `POST /-/…` for an operator's command: JSON in and out, signed with the secret of the instance. */
export function operatorPost<Fields>(
  about: Subject,
  schema: z.ZodType<Fields>,
  run: (app: Application, fields: Fields) => Promise<object>,
) {
  return async (request: Request): Promise<Response> => {
    const app = application()
    return withTextErrors(app, async () => {
      const body = await readBody(request)
      const header = request.headers.get('authorization')
      if (!isOperatorCredential(header, app.settings.nextAuthSecret, epochSeconds(app.clock.now()), body, about))
        return plainText(401, `This address requires the secret of the instance: npm run ${about} sends it.`)
      const parsed = schema.safeParse(parseJson(body))
      if (!parsed.success) return plainText(400, 'The request is not valid.')
      return Response.json(await run(app, parsed.data), { headers: { 'Cache-Control': 'no-store' } })
    })
  }
}
