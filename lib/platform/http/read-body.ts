import { badInput, isVaspError, VaspError } from '../errors'

/** The largest body any request may have: 64 kB. */
export const MAX_BODY_BYTES = 64 * 1024

/**
 * Reads the body of a request or an answer and counts its bytes, so that a large body is rejected early and never held
 * in memory.
 * @throws VaspError 413 beyond the limit, whatever Content-Length says; 400 when the body breaks off, because the
 * sender disconnected.
 */
export async function readBody(
  message: { readonly headers: Pick<Headers, 'get'>; readonly body: AsyncIterable<Uint8Array> | null },
  limitBytes = MAX_BODY_BYTES,
): Promise<string> {
  if (Number(message.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes)
  if (message.body === null) return ''
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of message.body) {
      size += chunk.byteLength
      if (size > limitBytes) throw tooLarge(limitBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw isVaspError(error) ? error : badInput('The request body ended before it was complete.', error)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function tooLarge(limitBytes: number): VaspError {
  return new VaspError(413, 'OTHER', `The request body is larger than ${limitBytes / 1024} kB.`)
}
