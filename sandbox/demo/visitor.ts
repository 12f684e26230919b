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

const MAX_REDIRECTS = 10
const TIMEOUT_MS = 20_000

export function makeVisitor(): Visitor {
  const jar = new Map<string, Map<string, string>>()

  function keep(origin: string, cookies: readonly string[]): void {
    const kept = jar.get(origin) ?? new Map<string, string>()
    for (const cookie of cookies) {
      const [name = '', ...value] = (cookie.split(';', 1)[0] ?? '').trim().split('=')
      kept.set(name, value.join('='))
    }
    jar.set(origin, kept)
  }

  async function visit(url: string, form?: URLSearchParams): Promise<Visited> {
    let next = url
    let body = form
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      const { origin } = new URL(next)
      const cookies = [...(jar.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(next, {
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
        headers: { ...(cookies === '' ? {} : { Cookie: cookies }), ...(body === undefined ? {} : { Origin: origin }) },
        ...(body === undefined ? {} : { method: 'POST', body }),
      }).catch((error: unknown) => {
        throw new Error(`${origin} does not answer (${reasonOf(error)})`, { cause: error })
      })
      keep(origin, response.headers.getSetCookie())
      const to = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || to === null)
        return { url: next, status: response.status, text: await response.text() }
      await response.body?.cancel()
      next = new URL(to, next).href
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

/** Node hides the reason of a failed fetch in its cause. */
export function reasonOf(error: unknown): string {
  const { name = '', message = '', cause } = error as Partial<Error> & { cause?: { code?: string } }
  if (name === 'TimeoutError') return 'timed out'
  return cause?.code ?? message
}
