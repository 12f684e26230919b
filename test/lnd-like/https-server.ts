import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../programs/certificate'

export type Handler = (request: IncomingMessage & { readonly text: string }, response: ServerResponse) => void

/** A server on this machine with a certificate that it signed itself, as LND has one. */
export interface HttpsServer {
  readonly url: string
  /** Where the certificate is. */
  readonly certificateFile: string
  readonly certificate: string
  close(): Promise<void>
}

export async function openHttpsServer(answer: Handler): Promise<HttpsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'lnd-'))
  const names = 'DNS:localhost,IP:127.0.0.1'
  const { keyFile, certificateFile } = makeCertificate(folder, 'lnd', names, ['-days', '2'])
  const certificate = readFileSync(certificateFile, 'utf8')
  const server = https.createServer({ key: readFileSync(keyFile), cert: certificate }, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => answer(Object.assign(request, { text: Buffer.concat(chunks).toString() }), response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificateFile,
    certificate,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
