import { CookieJar } from './cookies.ts'
import type { HttpClient, HttpRequest, Reply } from './http.ts'
import { Failure } from './verdict.ts'

const MAX_REDIRECTS = 10

export interface Visit {
  readonly reply: Reply
  /** The first `Location` that the caller wanted to stop at. */
  readonly stoppedAt: string | undefined
}

/** Follows redirects and keeps cookies, like a browser without scripts. */
export class Browser {
  readonly #jar = new CookieJar()

  /**
   * @param stopAt whether an address ends the visit before it is requested.
   * @throws Failure after ten redirects or a redirect to an invalid address; TransportError.
   */
  async visit(
    client: HttpClient,
    request: HttpRequest,
    stopAt: (url: string) => boolean = () => false,
  ): Promise<Visit> {
    let next = request
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const reply = await this.send(client, next)
      const location = reply.headers.get('location')
      if (location === null || reply.status < 300 || reply.status > 399) return { reply, stoppedAt: undefined }
      if (!URL.canParse(location, next.url)) throw new Failure(`The redirect leads to ${location}, which is not a URL.`)
      const url = new URL(location, next.url)
      if (stopAt(url.href)) return { reply, stoppedAt: url.href }
      if (url.protocol !== 'http:' && url.protocol !== 'https:')
        throw new Failure(`The redirect leads to ${url.protocol}, which is neither http nor https.`)
      const keepsMethod = reply.status === 307 || reply.status === 308
      next = keepsMethod ? { ...next, url: url.href } : { url: url.href }
    }
    throw new Failure(`More than ${MAX_REDIRECTS} redirects in a row, the last one to ${next.url}.`)
  }

  /** One request with the cookies of this browser; redirects are not followed. */
  async send(client: HttpClient, request: HttpRequest): Promise<Reply> {
    const cookie = this.#jar.headerFor(request.url)
    const reply = await client.send({
      ...request,
      headers: { Accept: 'text/html', ...request.headers, ...(cookie === undefined ? {} : { Cookie: cookie }) },
    })
    this.#jar.store(request.url, reply.headers.getSetCookie())
    return reply
  }
}
