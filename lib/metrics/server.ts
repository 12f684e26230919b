import { createServer } from 'node:http'
import { startError } from '../platform/start-error'

interface MetricsAddress {
  readonly host: string
  readonly port: number
}

/** The text of a scrape with its media type. */
interface Page {
  readonly contentType: string
  text(): Promise<string>
}

/**
 * Answers `GET /metrics` on its own port, which no proxy publishes. Resolves with the function that closes the server.
 * @throws StartError when the port is in use or cannot be opened.
 */
export async function serveMetrics({ host, port }: MetricsAddress, page: Page): Promise<() => void> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    request.resume()
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    // A scraper may add parameters.
    if (!isRead || request.url?.split('?', 1)[0] !== '/metrics') {
      response
        .writeHead(isRead ? 404 : 405, { 'Content-Type': 'text/plain; charset=utf-8', Allow: 'GET, HEAD' })
        .end('Only GET /metrics is served here.\n')
      return
    }
    page.text().then(
      (text) => response.writeHead(200, { 'Content-Type': page.contentType, 'Cache-Control': 'no-store' }).end(text),
      () =>
        response
          .writeHead(500, { 'Content-Type': 'text/plain; charset=utf-8' })
          .end('The metrics could not be read.\n'),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.code ?? 'unknown'})`
      reject(startError(`METRICS_PORT ${port} ${why} on ${host}: set another METRICS_PORT or METRICS_HOST.`, error))
    })
    server.listen(port, host, resolve)
  })
  return () => {
    server.closeAllConnections()
    server.close()
  }
}
