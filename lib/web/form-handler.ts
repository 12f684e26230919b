import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { sessionOfRequest } from '../accounts/sessions/current-user'
import { application, type Application } from '../backend/application'
import { readBody } from '../platform/http/read-body'
import { plainText, PRIVATE_HEADERS, seeOther } from '../platform/http/responses'
import type { UmaInvoices } from '../uma/invoices/open'
import { errorKey, type FormError } from './form-errors'
import { fieldsOf } from './form-fields'
import { withPageErrors, withTextErrors } from './handle-errors'
import { loginAddress } from './login-address'
import { isSameOrigin } from './same-origin'
import { sealShownOnce } from './shown-once'

/** The context of a form of a signed-in user. `fields`: the values read by its schema. */
interface UserFormInput<Fields> {
  readonly app: Application
  readonly username: string
  readonly sessionId: string
  readonly fields: Fields
}

/** The fields of a form as text, without the hidden fields of every form. */
type TypedFields = Readonly<Record<string, string>>

/**
 * Handles a form of the signed-in user. Origin must be ours (403), the session must be live (to the sign-in page), the body
 * is counted while it is read (413), and the form must name its user (400), who must be signed in now (409).
 * @param schema reads the fields. A custom issue is a mistake of the user, and its message is the code of the error. Any other
 * issue means that our page did not send this form (400). A blank field is absent: with `prefault('')`, a refinement reads it.
 * @param page the page of the form. After an error the browser returns there, with the error and the typed values.
 */
export function userForm<Fields>(
  schema: z.ZodType<Fields>,
  run: (input: UserFormInput<Fields>) => Promise<Response | FormError>,
  page?: string | ((typed: TypedFields) => string),
) {
  return pageHandler(async (app, request) => {
    const refused = refuseOtherSites(app, request, 'nothing was changed')
    if (refused !== undefined) return refused
    const session = await sessionOfRequest(app)
    if (session === null || session.suspended) {
      const error = session === null ? 'SignedOut' : 'Suspended'
      const from = request.headers.get('referer') ?? undefined
      return seeOther(loginAddress(from, app.settings.publicOrigin, error))
    }
    const form = new URLSearchParams(await readBody(request))
    const [formUser, ...more] = form.getAll('form_user')
    if (formUser === undefined || more.length > 0)
      return plainText(400, 'This form does not name the user it was shown to. Nothing was done. Open the form again.')
    if (formUser !== session.username)
      return plainText(
        409,
        `You are now signed in as ${session.username}; this form was for someone else. Nothing was done.`,
      )
    const values = fieldsOf(form)
    const parsed = schema.safeParse(values)
    const { username, sessionId } = session
    const result = parsed.success
      ? await run({ app, username, sessionId, fields: parsed.data })
      : fieldError(parsed.error)
    if (result instanceof Response) return result
    if (result === undefined || page === undefined)
      return plainText(
        400,
        'This form contains a value that its page does not send. Nothing was done. Open the form again.',
      )
    const { form_user: _formUser, request_id: _requestId, ...typed } = values
    const address = withError(typeof page === 'string' ? page : page(typed), typed, result)
    const { quoted } = result
    if (quoted === undefined) return seeOther(address)
    return seeOther(address, await sealShownOnce(app.settings, username, quoted.page, quoted.text))
  })
}

/** Like `userForm`, for the forms of UMA invoices. With `UMA_INVOICES=off`, their addresses are not found (404). */
export function umaInvoiceForm<Fields>(
  schema: z.ZodType<Fields>,
  run: (input: UserFormInput<Fields> & { readonly umaInvoices: UmaInvoices }) => Promise<Response | FormError>,
  page?: string,
) {
  return pageHandler(async (app, request) => {
    const { umaInvoices } = app
    if (umaInvoices === undefined) return plainText(404, 'This server has no UMA invoices.')
    return userForm(schema, (input) => run({ ...input, umaInvoices }), page)(request)
  })
}

/**
 * A form of our own pages that needs no user: refused with 403 when another site sent it.
 * @param consequence what the refusal says of the outcome.
 */
export function sameOriginForm(consequence: string, run: (app: Application, request: Request) => Promise<Response>) {
  return pageHandler(async (app, request) => refuseOtherSites(app, request, consequence) ?? run(app, request))
}

/** A browser gets refusals and failures as a page. */
function pageHandler(run: (app: Application, request: Request) => Promise<Response>) {
  return (request: Request): Promise<Response> => {
    const app = application()
    return withPageErrors(app, request, () => run(app, request))
  }
}

function refuseOtherSites(
  { settings }: Pick<Application, 'settings'>,
  { headers }: Request,
  consequence: string,
): Response | undefined {
  if (isSameOrigin(headers.get('origin'), settings.publicOrigin)) return undefined
  return plainText(403, `This form was sent from another site, so ${consequence}.`)
}

/** The first mistake of the user; undefined when our page did not send this form. */
function fieldError({ issues }: z.ZodError): FormError | undefined {
  const [issue] = issues
  return issue !== undefined && issues.every(({ code }) => code === 'custom')
    ? { field: String(issue.path[0]), code: issue.message }
    : undefined
}

/** The server refuses addresses over 8 kB. */
const MAX_ADDRESS_LENGTH = 6_000
/** Values beside a long invoice must be shorter. */
const LONG_VALUE = 400

/** The page with the typed values and the error; the fragment scrolls to the field at fault. */
function withError(page: string, typed: TypedFields, error: FormError): string {
  const address = (values: TypedFields): string => {
    const params = new URLSearchParams({ ...values, ...error.resend, error: errorKey(error) })
    return `${page}${page.includes('?') ? '&' : '?'}${params}${error.field === undefined ? '' : `#${error.field}`}`
  }
  const whole = address(typed)
  if (whole.length <= MAX_ADDRESS_LENGTH) return whole
  return address(Object.fromEntries(Object.entries(typed).filter(([, value]) => value.length <= LONG_VALUE)))
}

/** Identifies one submission of a form, so that a double click is one request. Without it, each request is a separate one. */
export const RequestId = z
  .string()
  .regex(/^[0-9a-f-]{36}$/)
  .catch(() => randomUUID())

/** Returns the state of a resource of the signed-in user to a page that polls it; 404 when there is none. */
export function userState(
  read: (input: { app: Application; username: string }) => Promise<string | undefined>,
): Promise<Response> {
  const current = application()
  return withTextErrors(current, async () => {
    const session = await sessionOfRequest(current)
    if (session === null || session.suspended) return plainText(401, 'Sign in to see this.')
    const state = await read({ app: current, username: session.username })
    if (state === undefined) return plainText(404, 'Not found.')
    return Response.json({ state }, { headers: PRIVATE_HEADERS })
  })
}
