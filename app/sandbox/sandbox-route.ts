import { withoutUnset } from 'uma-auth-vasp'
import type { z } from 'zod'
import { application, type Application } from '@/lib/backend/application'
import { isVaspError } from '@/lib/platform/errors'
import { readBody } from '@/lib/platform/http/read-body'
import { PRIVATE_HEADERS } from '@/lib/platform/http/responses'
import { parseJson } from '@/lib/platform/parse-json'
import { isTeamRequest, sandboxCaller } from '@/lib/sandbox/users/sandbox-caller'
import { isSameOrigin } from '@/lib/web/same-origin'

interface SandboxInput {
  readonly app: Application
  readonly request: Request
  /** The user of the manage token or of the session. When undefined, answer with `unknownCaller()`. */
  readonly caller: () => Promise<string | undefined>
}

/**
 * `POST` below `/sandbox/`, for test programs: JSON in and out. Checked in this order: sandbox tools (404), team gate (401, 429),
 * origin (403), type (415), size (413), and the schema (400 with the field at fault).
 */
export function sandboxPost<Fields, Params = unknown>(
  schema: z.ZodType<Fields>,
  run: (input: SandboxInput & { readonly fields: Fields }, params: Params) => Promise<Response>,
) {
  return (request: Request, context: { readonly params: Promise<Params> }): Promise<Response> =>
    answer(request, async (input) => {
      if (!/^application\/json(; ?charset=utf-8)?$/i.test(request.headers.get('content-type') ?? ''))
        return refusal(415, 'unsupported_media_type', 'This address accepts application/json only.')
      const body = parseJson(await readBody(request))
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        return refusal(400, 'not_json', 'The request body is not a JSON object.', { field: 'body' })
      const parsed = schema.safeParse(withoutUnset(body), { error: () => UNNAMED })
      return parsed.success ? run({ ...input, fields: parsed.data }, await context.params) : invalid(parsed.error)
    })
}

/** `DELETE` below `/sandbox/`, with the same checks as `sandboxPost`. It has no body. */
export function sandboxDelete<Params>(run: (input: SandboxInput, params: Params) => Promise<Response>) {
  return (request: Request, context: { readonly params: Promise<Params> }): Promise<Response> =>
    answer(request, async (input) => run(input, await context.params))
}

async function answer(request: Request, run: (input: SandboxInput) => Promise<Response>): Promise<Response> {
  const app = application()
  try {
    if (!app.settings.sandboxTools) return refusal(404, 'not_found', 'This server has no sandbox tools.')
    const team = await isTeamRequest(app, request)
    if (team === false)
      return refusal(401, 'team_password_required', 'Send the team password as Authorization: Bearer.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      })
    if (team !== true) return tooMany(team, 'Too many wrong team passwords.')
    const origin = request.headers.get('origin')
    // Programs send no Origin. A browser sends it with every request from another site.
    if (origin !== null && !isSameOrigin(origin, app.settings.publicOrigin))
      return refusal(403, 'foreign_origin', 'This request was sent by a page of another site. Nothing was done.')
    return await run({ app, request, caller: () => sandboxCaller(app, request) })
  } catch (error) {
    const known = isVaspError(error) ? error : app.describeFailure(error)
    if (!isVaspError(error)) app.log.error({ error }, 'sandbox request failed')
    return refusal(known.status, known.code.toLowerCase(), known.message, { headers: known.options.headers })
  }
}

/** For a field whose schema has no message: the text of the validation library is never sent. */
const UNNAMED = 'is missing or not valid.'

/** The first mistake. A custom issue has its own code in `params.code` and a message for the user. */
function invalid({ issues: [issue] }: z.ZodError): Response {
  const isUnknown = issue?.code === 'unrecognized_keys'
  const field = (isUnknown ? issue.keys[0] : issue?.path.map(String).join('.')) || 'body'
  const own = issue?.code === 'custom' ? (issue.params?.code as unknown) : undefined
  const code = isUnknown ? 'unknown_field' : typeof own === 'string' ? own : 'invalid'
  const named = issue === undefined || issue.message === UNNAMED ? `${field} ${UNNAMED}` : issue.message
  return refusal(400, code, isUnknown ? 'This field does not exist.' : named, { field })
}

export function sandboxAnswer(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: PRIVATE_HEADERS })
}

export function refusal(
  status: number,
  code: string,
  message: string,
  {
    field,
    headers = {},
  }: { readonly field?: string; readonly headers?: Readonly<Record<string, string>> | undefined } = {},
): Response {
  return Response.json({ field, code, message }, { status, headers: { ...PRIVATE_HEADERS, ...headers } })
}

export function tooMany(seconds: number, message: string): Response {
  return refusal(429, 'rate_limited', `${message} Try again in ${seconds} seconds.`, {
    headers: { 'Retry-After': String(seconds) },
  })
}

export function unknownCaller(): Response {
  return refusal(
    401,
    'unauthorized',
    'Send the manage token of the user as X-Manage-Token, or the cookie of a session.',
  )
}
