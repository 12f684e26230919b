/** A minimal browser for the sandbox's own commands: cookies by origin, redirects, forms. */
export interface Visitor {
  /** Adds cookies, written as a Cookie header. */
  keep(origin: string, cookies: string): void
  get(url: string): Promise<Visited>
  post(url: string, form: URLSearchParams): Promise<Visited>
}

/** The page at the end of the redirects. */
export interface Visited {
  readonly url: string
  readonly status: number
  readonly text: string
}

export interface VisitorRequest {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** The fields of a form. Absent with GET. */
  readonly body?: string
}

export interface VisitorReply {
  readonly status: number
  readonly location: string | null
  /** The `Set-Cookie` headers. */
  readonly cookies: readonly string[]
  readonly text: string
}

/** Sends one request. A redirect is a reply too. */
export type Send = (url: string, request: VisitorRequest) => Promise<VisitorReply>

const MAX_REDIRECTS = 10
const TIMEOUT_MS = 20_000

const sendByFetch: Send = async (url, request) => {
  const response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { status, headers } = response
  return {
    status,
    location: headers.get('location'),
    cookies: headers.getSetCookie(),
    text: await response.text(),
  }
}

export function makeVisitor(send: Send = sendByFetch): Visitor {
  const jar = new Map<string, Map<string, string>>()

  function keep(origin: string, cookies: readonly string[]): void {
    const kept = jar.get(origin) ?? new Map<string, string>()
    for (const cookie of cookies) {
      const [name = '', ...value] = (cookie.split(';', 1)[0] ?? '').trim().split('=')
      kept.set(name, value.join('='))
    }
    jar.set(origin, kept)
  }

  function requestTo(origin: string, form: URLSearchParams | undefined): VisitorRequest {
    const cookies = [...(jar.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers: Record<string, string> = cookies === '' ? {} : { Cookie: cookies }
    if (form === undefined) return { method: 'GET', headers }
    const type = { 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' }
    return { method: 'POST', headers: { ...headers, ...type, Origin: origin }, body: form.toString() }
  }

  async function visit(url: string, form?: URLSearchParams): Promise<Visited> {
    let next = url
    let body = form
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const { origin } = new URL(next)
      const { status, location, cookies, text } = await send(next, requestTo(origin, body)).catch((error: unknown) => {
        throw unreached(origin, error)
      })
      keep(origin, cookies)
      if (status < 300 || status >= 400 || location === null) return { url: next, status, text }
      next = new URL(location, next).href
      body = undefined
    }
    throw new Error(`${new URL(url).origin} redirects more than ${MAX_REDIRECTS} times`)
  }

  return {
    keep: (origin, cookies) => keep(origin, cookies.split('; ')),
    get: (url) => visit(url),
    post: (url, form) => visit(url, form),
  }
}

function unreached(origin: string, error: unknown): Error {
  return Object.assign(new Error(`${origin} does not answer (${reasonOf(error)})`, { cause: error }), { origin })
}

/** The origin of the site that did not answer; undefined for another error. */
export function unreachedOrigin(error: unknown): string | undefined {
  return error instanceof Error && 'origin' in error && typeof error.origin === 'string' ? error.origin : undefined
}

/** Node hides the reason of a failed fetch in its cause. */
export function reasonOf(error: unknown): string {
  const { name = '', message = '', cause } = error as Partial<Error> & { cause?: { code?: string } }
  if (name === 'TimeoutError') return 'timed out'
  return cause?.code ?? message
}
